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

// The same sources give the same bytes: no dates, no paths of the machine, names by content.
export default defineConfig({
	base: '/dashboard/',
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
			output: { manualChunks: (id) => (/node_modules\/(react|react-dom|scheduler)\//.test(id) ? 'react' : undefined) },
		},
	},
});
