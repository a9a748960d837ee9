import{q as a,t as s,f as e}from"./app-start.js";const r=a({queryKey:["domains","first"],refetchInterval:3e4,queryFn:async()=>(await s(e.GET("/v1/domains"))).domains});export{r as d};
