// SPDX-License-Identifier: MIT
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { help } from './help/plugin';
import { licenses } from './licenses';

/** Names in index.html what the first script asks for, so that it comes at the same time. */
const preloads: Plugin = {
	name: 'preloads',
	transformIndexHtml: (_, { bundle = {} }) =>
		Object.values(bundle)
			.filter((file) => file.type === 'chunk' && ['start', 'react'].includes(file.name))
			.map(({ fileName }) => ({ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `/dashboard/${fileName}` }, injectTo: 'head' })),
};

/** The name of a file by the source that it begins with, so that no change of contents renames it: src/pages/emails/page.tsx is
 *  pages-emails-page.js. "place" sees to it that no browser keeps an old one. */
function stable({ name, facadeModuleId, moduleIds }: { name: string; facadeModuleId: string | null; moduleIds: string[] }) {
	const source = /\/src\/(.*)\.tsx?$/.exec(facadeModuleId ?? moduleIds.findLast((id) => id.includes('/src/')) ?? '')?.[1];
	return `assets/${name === 'react' || !source ? name.replace(/^_/, '') : source.replaceAll('/', '-')}.js`;
}

// The same sources give the same bytes: no dates, no paths of the machine.
export default defineConfig({
	base: '/dashboard/',
	// Scripts find each other beside themselves, wherever "place" puts them.
	experimental: { renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `/dashboard/${file}` : { relative: true }) },
	plugins: [help(), licenses(), preloads],
	esbuild: { jsx: 'automatic', legalComments: 'none' },
	resolve: {
		alias: {
			// The original writes a <style> element, which our Content-Security-Policy forbids.
			'react-remove-scroll': fileURLToPath(new URL('src/parts/scroll-lock.tsx', import.meta.url)),
		},
	},
	build: {
		target: 'es2022',
		modulePreload: { polyfill: false },
		assetsInlineLimit: 0,
		reportCompressedSize: false,
		chunkSizeWarningLimit: 600,
		rollupOptions: {
			// Packages mark what is for browsers; here all is.
			onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
			output: {
				entryFileNames: 'assets/[name].js',
				chunkFileNames: stable,
				assetFileNames: 'assets/[name][extname]',
				manualChunks: (id) => (/node_modules\/(react|react-dom|scheduler)\//.test(id) ? 'react' : undefined),
			},
		},
	},
});
