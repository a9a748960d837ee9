// SPDX-License-Identifier: MIT
// The first steps of a new workspace, shown until all are done.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { changeUse } from '../../api/list';
import { isOwnerUse } from '../../api/session';
import { Badge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { CopyButton } from '../../parts/copy';
import { ConfirmButton } from '../../parts/dialog';
import { Tabs } from '../../parts/tabs';
import { w } from '../../words';
import { demoFill, demoRemove } from './demo';
import { stepsQuery } from './query';

export default function Steps() {
	const done = useQuery({ ...stepsQuery, enabled: isOwnerUse() }).data;
	if (!done) return null;
	const { demo, ...all } = done;
	if (Object.values(all).every(Boolean)) return demo ? <Demo there /> : null;
	const steps = [
		{ name: w.steps.domain, to: '/domains', done: done.domain },
		{ name: w.steps.key, to: '/keys', done: done.key },
		{ name: w.steps.email, to: '/emails', done: done.email, more: <Snippets /> },
		{ name: w.steps.people, to: '/people/import', done: done.people },
		{ name: w.steps.broadcast, to: '/broadcasts', done: done.broadcast },
	];
	return (
		<section className="card" aria-labelledby="steps">
			<h2 id="steps">{w.steps.title}</h2>
			<ol className="steps">
				{steps.map(({ name, to, done, more }) => (
					<li key={name}>
						<Link to={to}>{name}</Link> {done && <Badge tone="good">{w.steps.done}</Badge>}
						{!done && more}
					</li>
				))}
			</ol>
			<Demo there={demo} />
		</section>
	);
}

/** Puts demo data into the workspace, and takes it out again. */
function Demo({ there }: { there: boolean }) {
	const data = useQueryClient();
	const then = () => void data.invalidateQueries();
	const fill = changeUse(demoFill, { touches: [], done: w.steps.demoFilled, then });
	const remove = changeUse(demoRemove, { touches: [], done: w.steps.demoRemoved, then });
	return (
		<div className="row">
			{there ? (
				<>
					<span>{w.steps.demoThere}</span>
					<ConfirmButton name={w.steps.demoRemove} title={w.steps.demoRemoveTitle} text={w.steps.demoRemoveText} onConfirm={() => remove.mutate()} />
				</>
			) : (
				<>
					<span className="help">{w.steps.demo}</span>
					<Button busy={fill.isPending} onClick={() => fill.mutate()}>
						{w.steps.demoFill}
					</Button>
				</>
			)}
		</div>
	);
}

function Snippets() {
	const url = `${location.origin}/v1/emails`;
	const email = { from: 'Me <me@example.com>', to: 'you@example.com', subject: 'Hello', text: 'Hello!' };
	const json = JSON.stringify(email);
	const texts = {
		curl: `curl ${url} \\\n  -H 'Authorization: Bearer KEY' \\\n  -H 'Content-Type: application/json' \\\n  -d '${json}'`,
		'Node.js': `await fetch('${url}', {\n  method: 'POST',\n  headers: { Authorization: 'Bearer KEY', 'Content-Type': 'application/json' },\n  body: JSON.stringify(${json}),\n});`,
		PHP: `$ch = curl_init('${url}');\ncurl_setopt_array($ch, [\n  CURLOPT_HTTPHEADER => ['Authorization: Bearer KEY', 'Content-Type: application/json'],\n  CURLOPT_POSTFIELDS => '${json}',\n]);\ncurl_exec($ch);`,
		Python: `import json, urllib.request\nurllib.request.urlopen(urllib.request.Request('${url}',\n    data=json.dumps(${json}).encode(),\n    headers={'Authorization': 'Bearer KEY', 'Content-Type': 'application/json'}))`,
	};
	return (
		<details>
			<summary>{w.steps.snippet}</summary>
			<Tabs
				label={w.steps.snippet}
				tabs={Object.entries(texts).map(([name, text]) => ({
					id: name,
					name,
					content: (
						<>
							<CopyButton text={text} name={name} />
							<pre className="source" tabIndex={0}>
								{text}
							</pre>
						</>
					),
				}))}
			/>
		</details>
	);
}
