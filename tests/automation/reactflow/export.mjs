// SPDX-License-Identifier: MIT
// Builds a design as an editor does that is made of React Flow, with the library's own functions, and prints what its
// toObject() gives, which is what such editors save.
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { MarkerType, ReactFlowProvider, addEdge, applyEdgeChanges, applyNodeChanges, useReactFlow } from "@xyflow/react";

const types = [
	["start", "trigger", { eventName: "order.placed", reentry: "every", dedupe_window: 300000, label: "Order" }],
	["paid", "wait_for_event", { eventName: "order.paid", timeout: { duration: 2, unit: "days" } }],
	["plan", "condition", { match: "any", rules: [{ property: "plan", operator: "equals", value: "pro" }] }],
	["mark", "update_contact", { set: { "orders.last": "today", reminded: null } }],
	["sides", "split", { weights: { a: 50, b: 50 } }],
	["remind", "send_email", { subject: "Hello", html: "<p>Hello</p>", from: "Me <me@example.com>", text: "" }],
	["pause", "wait", { duration: 3, unit: "hours" }],
	["end", "exit", {}],
];

const connections = [
	["start", null, "paid"],
	["paid", "event", "plan"],
	["paid", "timeout", "sides"],
	["plan", "yes", "mark"],
	["plan", "no", "end"],
	["mark", null, "end"],
	["sides", "a", "remind"],
	["sides", "b", "pause"],
	["remind", null, "end"],
	["pause", null, "paid"],
];

function draw() {
	const added = types.map(([id, type, data], row) => ({ type: "add", item: { id, type, position: { x: 0, y: 100 * row }, data } }));
	const measured = types.map(([id]) => ({ type: "dimensions", id, dimensions: { width: 150, height: 40 }, setAttributes: true }));

	return applyNodeChanges([
		...measured,
		{ type: "position", id: "plan", position: { x: 12.5, y: -80 }, dragging: false },
		{ type: "select", id: "end", selected: true },
	], applyNodeChanges(added, []));
}

function connect() {
	let edges = [];

	for (const [source, sourceHandle, target] of connections)
		edges = addEdge({ source, sourceHandle, target, targetHandle: null, animated: true,
			markerEnd: { type: MarkerType.ArrowClosed } }, edges);
	return applyEdgeChanges([{ type: "select", id: edges[0].id, selected: true }], edges);
}

let saved;

function Editor() {
	saved = useReactFlow().toObject();
	return null;
}

renderToString(createElement(ReactFlowProvider, { initialNodes: draw(), initialEdges: connect() }, createElement(Editor)));
console.log(JSON.stringify(saved));
