const o=/^'*[=+\-@\t\r]/,r=t=>o.test(t)?`'${t}`:t,s=t=>/[",\r\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t,a=t=>`${t.map(e=>s(r(e))).join(",")}\r
`;function l(t,e){const n=URL.createObjectURL(new Blob(e,{type:"text/csv;charset=utf-8"})),c=document.createElement("a");c.href=n,c.download=t,c.click(),setTimeout(()=>URL.revokeObjectURL(n),6e4)}export{a as c,l as f};
