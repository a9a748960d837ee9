import{j as e}from"./react.js";import{b as p,O as l,L as c}from"./app-start.js";import{B as m}from"./parts-badge.js";import{a as d}from"./parts-copy.js";import{T as u}from"./parts-tabs.js";import{a as t}from"./app-theme.js";import{s as j}from"./pages-overview-page.js";import"./parts-table.js";import"./parts-time.js";import"./parts-relays.js";import"./api-stats.js";function C(){const s=p({...j,enabled:l()}).data;if(!s||Object.values(s).every(Boolean))return null;const i=[{name:t.steps.domain,to:"/domains",done:s.domain},{name:t.steps.key,to:"/keys",done:s.key},{name:t.steps.email,to:"/emails",done:s.email,more:e.jsx(h,{})},{name:t.steps.people,to:"/people/import",done:s.people},{name:t.steps.broadcast,to:"/broadcasts",done:s.broadcast}];return e.jsxs("section",{className:"card","aria-labelledby":"steps",children:[e.jsx("h2",{id:"steps",children:t.steps.title}),e.jsx("ol",{className:"steps",children:i.map(({name:o,to:n,done:r,more:a})=>e.jsxs("li",{children:[e.jsx(c,{to:n,children:o})," ",r&&e.jsx(m,{tone:"good",children:t.steps.done}),!r&&a]},o))}),e.jsxs("p",{className:"help",children:[t.steps.demo," ",e.jsx("code",{children:"posthouse demo fill --workspace NAME"})]})]})}function h(){const s=`${location.origin}/v1/emails`,o=JSON.stringify({from:"Me <me@example.com>",to:"you@example.com",subject:"Hello",text:"Hello!"}),n={curl:`curl ${s} \\
  -H 'Authorization: Bearer KEY' \\
  -H 'Content-Type: application/json' \\
  -d '${o}'`,"Node.js":`await fetch('${s}', {
  method: 'POST',
  headers: { Authorization: 'Bearer KEY', 'Content-Type': 'application/json' },
  body: JSON.stringify(${o}),
});`,PHP:`$ch = curl_init('${s}');
curl_setopt_array($ch, [
  CURLOPT_HTTPHEADER => ['Authorization: Bearer KEY', 'Content-Type: application/json'],
  CURLOPT_POSTFIELDS => '${o}',
]);
curl_exec($ch);`,Python:`import json, urllib.request
urllib.request.urlopen(urllib.request.Request('${s}',
    data=json.dumps(${o}).encode(),
    headers={'Authorization': 'Bearer KEY', 'Content-Type': 'application/json'}))`};return e.jsxs("details",{children:[e.jsx("summary",{children:t.steps.snippet}),e.jsx(u,{label:t.steps.snippet,tabs:Object.entries(n).map(([r,a])=>({id:r,name:r,content:e.jsxs(e.Fragment,{children:[e.jsx(d,{text:a,name:r}),e.jsx("pre",{className:"source",tabIndex:0,children:a})]})}))})]})}export{C as default};
