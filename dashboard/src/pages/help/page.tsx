// SPDX-License-Identifier: MIT
// The documents of the manual that are built in.
import { Link } from 'wouter';
import { Head } from '../../parts/head';
import { documents } from '../../parts/help';
import { w } from '../../words';

export default function Help() {
	return (
		<>
			<Head title={w.help.name} text={w.help.text} />
			<ul className="cards help-cards">
				{documents.map((name) => (
					<li key={name} className="card">
						<h2>
							<Link to={`/help/${name}`}>{w.help.titles[name]}</Link>
						</h2>
						<p className="soft">{w.help.texts[name]}</p>
					</li>
				))}
			</ul>
			<section className="section">
				<h2>{w.help.elsewhere}</h2>
				<p>{w.help.elsewhereText}</p>
				<p>
					<a href="/openapi.json">/openapi.json</a>
				</p>
			</section>
		</>
	);
}
