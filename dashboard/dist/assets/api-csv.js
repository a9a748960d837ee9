function v(e){const t=e.startsWith("\uFEFF")?1:0,r=g(e.slice(t,e.search(/[\r\n]|$/))),o=[];let l=[],c="",a=!1,i=1,f=1;const u=()=>{l.push(c),c=""},h=()=>{u(),(l.length>1||l[0]!=="")&&o.push({line:f,fields:l}),l=[]};for(let n=t;n<e.length;n++){const s=e[n];(s===`
`||s==="\r"&&e[n+1]!==`
`)&&i++,a?s!=='"'?c+=s:e[n+1]==='"'?c+=e[++n]:a=!1:s==='"'&&c===""?a=!0:s===r?u():s===`
`||s==="\r"?(s==="\r"&&e[n+1]===`
`&&(n++,i++),h(),f=i):c+=s}return(c!==""||l.length)&&h(),o}const g=e=>[",",";","	"].sort((t,r)=>e.split(r).length-e.split(t).length)[0],p=/^'*[=+\-@\t\r]/,R=e=>e.startsWith("'")&&p.test(e)?e.slice(1):e,d=e=>p.test(e)?`'${e}`:e,m=e=>/[",\r\n]/.test(e)?`"${e.replaceAll('"','""')}"`:e,b=e=>`${e.map(t=>m(d(t))).join(",")}\r
`;function L(e,t){const r=URL.createObjectURL(new Blob(t,{type:"text/csv;charset=utf-8"})),o=document.createElement("a");o.href=r,o.download=e,o.click(),setTimeout(()=>URL.revokeObjectURL(r),6e4)}export{R as a,v as b,b as c,L as f};
