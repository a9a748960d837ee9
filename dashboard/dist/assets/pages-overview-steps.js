import{j as e}from"./react.js";import{b as c,U as u,L as h,u as j,e as m,f as x,B as f}from"./app-start.js";import{B as y}from"./parts-badge.js";import{a as b}from"./parts-copy.js";import{T}from"./parts-tabs.js";import{a as s}from"./app-theme.js";import{s as v,d as $,a as B}from"./pages-overview-page.js";import"./parts-table.js";import"./parts-time.js";import"./parts-relays.js";import"./api-stats.js";function A(){const t=c({...v,enabled:u()}).data;if(!t)return null;const{demo:a,...o}=t;if(Object.values(o).every(Boolean))return a?e.jsx(p,{there:!0}):null;const r=[{name:s.steps.domain,to:"/domains",done:t.domain},{name:s.steps.key,to:"/keys",done:t.key},{name:s.steps.email,to:"/emails",done:t.email,more:e.jsx(C,{})},{name:s.steps.people,to:"/people/import",done:t.people},{name:s.steps.broadcast,to:"/broadcasts",done:t.broadcast}];return e.jsxs("section",{className:"card","aria-labelledby":"steps",children:[e.jsx("h2",{id:"steps",children:s.steps.title}),e.jsx("ol",{className:"steps",children:r.map(({name:n,to:i,done:l,more:d})=>e.jsxs("li",{children:[e.jsx(h,{to:i,children:n})," ",l&&e.jsx(y,{tone:"good",children:s.steps.done}),!l&&d]},n))}),e.jsx(p,{there:a})]})}function p({there:t}){const a=j(),o=()=>void a.invalidateQueries(),r=m($,{touches:[],done:s.steps.demoFilled,then:o}),n=m(B,{touches:[],done:s.steps.demoRemoved,then:o});return e.jsx("div",{className:"row",children:t?e.jsxs(e.Fragment,{children:[e.jsx("span",{children:s.steps.demoThere}),e.jsx(x,{name:s.steps.demoRemove,title:s.steps.demoRemoveTitle,text:s.steps.demoRemoveText,onConfirm:()=>n.mutate()})]}):e.jsxs(e.Fragment,{children:[e.jsx("span",{className:"help",children:s.steps.demo}),e.jsx(f,{busy:r.isPending,onClick:()=>r.mutate(),children:s.steps.demoFill})]})})}function C(){const t=`${location.origin}/v1/emails`,o=JSON.stringify({from:"Me <me@example.com>",to:"you@example.com",subject:"Hello",text:"Hello!"}),r={curl:`curl ${t} \\
  -H 'Authorization: Bearer KEY' \\
  -H 'Content-Type: application/json' \\
  -d '${o}'`,"Node.js":`await fetch('${t}', {
  method: 'POST',
  headers: { Authorization: 'Bearer KEY', 'Content-Type': 'application/json' },
  body: JSON.stringify(${o}),
});`,PHP:`$ch = curl_init('${t}');
curl_setopt_array($ch, [
  CURLOPT_HTTPHEADER => ['Authorization: Bearer KEY', 'Content-Type: application/json'],
  CURLOPT_POSTFIELDS => '${o}',
]);
curl_exec($ch);`,Python:`import json, urllib.request
urllib.request.urlopen(urllib.request.Request('${t}',
    data=json.dumps(${o}).encode(),
    headers={'Authorization': 'Bearer KEY', 'Content-Type': 'application/json'}))`};return e.jsxs("details",{children:[e.jsx("summary",{children:s.steps.snippet}),e.jsx(T,{label:s.steps.snippet,tabs:Object.entries(r).map(([n,i])=>({id:n,name:n,content:e.jsxs(e.Fragment,{children:[e.jsx(b,{text:i,name:n}),e.jsx("pre",{className:"source",tabIndex:0,children:i})]})}))})]})}export{A as default};
