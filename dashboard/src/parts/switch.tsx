// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-switch';
import { useId } from 'react';

interface Props {
	label: string;
	help?: string;
	on: boolean;
	disabled?: boolean;
	onChange: (on: boolean) => void;
}

export function Switch({ label, help, on, disabled, onChange }: Props) {
	const id = useId();
	return (
		<div className="switch-row">
			<Radix.Root id={id} className="switch" checked={on} disabled={disabled} onCheckedChange={onChange} aria-labelledby={`${id}-name`}>
				<Radix.Thumb className="switch-thumb" />
			</Radix.Root>
			<div>
				<label id={`${id}-name`} htmlFor={id}>
					{label}
				</label>
				{help && <p className="help">{help}</p>}
			</div>
		</div>
	);
}
