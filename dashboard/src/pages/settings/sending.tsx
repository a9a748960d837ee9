// SPDX-License-Identifier: MIT
// When mailings of the workspace may leave, and how many a person gets.
import { SendingRules } from '../../parts/sending-rules';
import { w } from '../../words';

export function Sending() {
	return (
		<section className="card">
			<h2>{w.sending.name}</h2>
			<p className="soft">{w.sending.text}</p>
			<SendingRules />
		</section>
	);
}
