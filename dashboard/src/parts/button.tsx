// SPDX-License-Identifier: MIT
import type { ComponentProps } from 'react';

interface Props extends ComponentProps<'button'> {
	look?: 'plain' | 'main' | 'bad' | 'quiet';
	busy?: boolean;
}

export function Button({ look = 'plain', busy, disabled, className = '', type = 'button', ...rest }: Props) {
	return <button type={type} className={`button ${look} ${className}`} disabled={disabled || busy} aria-busy={busy || undefined} {...rest} />;
}
