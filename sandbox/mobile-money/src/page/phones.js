import { element } from "/element.js";

const find = (id) => document.getElementById(id);
const behaviours = {
	accept: "accepts by itself",
	cancel: "cancels by itself",
	silent: "stays silent",
	wrong_pin: "enters a wrong PIN by itself",
	no_balance: "has no money",
};
const choices = [
	["accept", "Enter PIN and pay"],
	["cancel", "Cancel"],
	["wrong_pin", "Wrong PIN"],
	["no_balance", "No balance"],
	["expire", "Let it expire"],
];
const money = new Intl.NumberFormat("en-KE", { style: "currency", currency: "KES" });
const printMoney = (minor) => money.format(minor / 100);
const time = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Calls a control route and shows why it was refused. */
async function call(method, url, body) {
	const answer = await fetch(url, {
		method,
		...(body !== undefined && {
			headers: { "content-type": "application/json" },
			body: JSON.stringify(body),
		}),
	});
	const read = await answer.json();
	find("said").textContent = answer.ok ? "" : read.message;
	return answer.ok ? read : undefined;
}

async function load() {
	const answer = await fetch("/_control/state");
	if (answer.ok) draw(await answer.json());
}

function draw({ phones, movements }) {
	const focused = document.activeElement?.id;
	find("phones").replaceChildren(...phones.map(drawPhone));
	if (phones.length === 0) find("phones").append(element("li", { className: "soft" }, "No phones yet."));
	find("movements").replaceChildren(...movements.map(drawMovement));
	if (movements.length === 0)
		find("movements").append(element("li", { className: "soft" }, "Nothing has been paid yet."));
	if (focused) find(focused)?.focus();
}

function drawPhone(phone) {
	const title = `phone-${phone.msisdn}`;
	return element(
		"li",
		{},
		element(
			"article",
			{ className: "phone", "aria-labelledby": title },
			element(
				"header",
				{},
				element(
					"div",
					{},
					element("h3", { id: title }, phone.name),
					element("span", { className: "number" }, printNumber(phone)),
				),
				element("strong", { className: "balance" }, printMoney(phone.balance_minor)),
			),
			phone.prompt === null
				? element("p", { className: "soft" }, "No open prompt.")
				: drawPrompt(phone, phone.prompt),
		),
	);
}

const printNumber = ({ msisdn, behaviour }) =>
	behaviour === "none" ? msisdn : `${msisdn} · ${behaviours[behaviour]}`;

function drawPrompt({ msisdn, name }, prompt) {
	return element(
		"section",
		{ className: "prompt", "aria-label": `Prompt on the phone of ${name}` },
		element("h4", {}, `Pay ${printMoney(prompt.amount_minor)} to ${prompt.payee}?`),
		element("p", {}, `Account ${prompt.reference} · ${prompt.description}`),
		element(
			"div",
			{ className: "choices" },
			choices.map(([action, text]) =>
				element(
					"button",
					{
						type: "button",
						id: `${action}-${msisdn}`,
						className: action === "accept" ? "primary" : "choice",
						onclick: () => void call("POST", `/_control/phones/${msisdn}/${action}`),
					},
					text,
				),
			),
		),
	);
}

function drawMovement(movement) {
	return element(
		"li",
		{},
		element("code", {}, movement.receipt),
		element("span", {}, movement.kind.replaceAll("_", " ")),
		element("span", { className: "soft" }, `${movement.from} → ${movement.to}`),
		element("time", { className: "soft", dateTime: movement.at }, time.format(new Date(movement.at))),
		element("strong", { className: "amount" }, printMoney(movement.amount_minor)),
	);
}

let pending;
/** A burst of changes is drawn once. */
function loadSoon() {
	if (pending !== undefined) return;
	pending = setTimeout(() => {
		pending = undefined;
		void load();
	}, 100);
}

function listen() {
	const stream = new EventSource("/_control/stream");
	const show = (text, isLive) => {
		find("live").textContent = text;
		find("live").classList.toggle("on", isLive);
	};
	stream.addEventListener("open", () => {
		show("live", true);
		void load();
	});
	stream.addEventListener("error", () => show("reconnecting", false));
	stream.addEventListener("change", loadSoon);
}

find("add").addEventListener("submit", async (event) => {
	event.preventDefault();
	const { msisdn } = event.target.elements;
	const added = await call("PUT", `/_control/phones/${msisdn.value}`, {});
	if (added !== undefined) event.target.reset();
});
listen();
