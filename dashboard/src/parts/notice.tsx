// SPDX-License-Identifier: MIT
// Short messages about what was just done.
import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';
import { w } from '../words';
import { Icon } from './icon';

type Kind = 'good' | 'bad';
const Context = createContext<(text: string, kind?: Kind) => void>(() => {});
export const noticeUse = () => useContext(Context);

export function Notices({ children }: { children: ReactNode }) {
	const [all, setAll] = useState<{ id: number; text: string; kind: Kind }[]>([]);
	const drop = useCallback((id: number) => setAll((now) => now.filter((one) => one.id !== id)), []);
	const say = useCallback(
		(text: string, kind: Kind = 'good') => {
			const id = Math.random();
			setAll((now) => [...now.slice(-2), { id, text, kind }]);
			if (kind === 'good') setTimeout(() => drop(id), 5000);
		},
		[drop],
	);
	return (
		<Context.Provider value={say}>
			{children}
			<div className="notices" role="status" aria-live="polite">
				{all.map(({ id, text, kind }) => (
					<div key={id} className={`notice ${kind}`}>
						<Icon name={kind === 'good' ? 'check' : 'warn'} />
						<span>{text}</span>
						<button type="button" className="icon-button" aria-label={w.do.close} onClick={() => drop(id)}>
							<Icon name="close" />
						</button>
					</div>
				))}
			</div>
		</Context.Provider>
	);
}
