import{j as e}from"./react-461ffD8R.js";function t({tone:a="calm",children:s}){return e.jsx("span",{className:`badge ${a}`,children:s})}export{t as B};
