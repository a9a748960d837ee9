// SPDX-License-Identifier: MIT
import type { ComponentProps } from 'react';

interface Props extends ComponentProps<'button'> {
	look?: 'plain' | 'main' | 'bad' | 'quiet';
	busy?: boolean;
}

export function Button({ look = 'plain', busy, className = '', type = 'button', onClick, ...rest }: Props) {
	// A button that is busy keeps the focus, which a disabled one would lose.
	const click: typeof onClick = (event) => (busy ? event.preventDefault() : onClick?.(event));
	return <button type={type} className={`button ${look} ${className}`} aria-disabled={busy || undefined} aria-busy={busy || undefined} onClick={click} {...rest} />;
}
