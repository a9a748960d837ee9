// SPDX-License-Identifier: MIT
declare module 'help:*' {
	const text: { title: string; html: string };
	export default text;
}
