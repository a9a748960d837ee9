import{q as a,t as e,e as s}from"./app-start.js";const r=a({queryKey:["domains","first"],refetchInterval:3e4,queryFn:async()=>(await e(s.GET("/v1/domains"))).domains});export{r as d};
