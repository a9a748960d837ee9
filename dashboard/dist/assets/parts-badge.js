import{j as e}from"./react.js";function t({tone:a="calm",children:s}){return e.jsx("span",{className:`badge ${a}`,children:s})}export{t as B};
