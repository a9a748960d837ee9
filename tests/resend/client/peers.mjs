// SPDX-License-Identifier: MIT
// Stands for the frameworks that adapters ask for: of those they use a class of errors alone, and they are large.
const stands = {
	payload: "export class APIError extends Error {}",
	"@adonisjs/core": "export const configProvider = {};",
	"@adonisjs/core/exceptions": `export class Exception extends Error {
		constructor(message, options) {
			super(\`\${message} (\${options?.cause?.message})\`, options);
		}
	}
	export class RuntimeException extends Exception {}`,
	"@adonisjs/core/helpers/string": "export default {};",
};

export async function resolve(name, context, next) {
	if (!(name in stands))
		return next(name, context);
	return { url: `data:text/javascript,${encodeURIComponent(stands[name])}`, shortCircuit: true };
}
