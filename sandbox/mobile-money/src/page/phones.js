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
	["accept", "Enter PIN and accept"],
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
	say(answer.ok ? "" : read.message, answer.ok);
	return answer.ok ? read : undefined;
}

function say(text, isGood) {
	find("said").textContent = text;
	find("said").classList.toggle("good", isGood);
}

async function load() {
	const answer = await fetch("/_control/state");
	if (answer.ok) draw(await answer.json());
}

function draw({ phones, movements, shortcodes }) {
	const { phone, shortcode } = find("pay").elements;
	fill(
		phone,
		phones.map(({ msisdn, name }) => [msisdn, `${msisdn} ${name}`]),
	);
	fill(
		shortcode,
		shortcodes.map((one) => [one.shortcode, `${one.shortcode} ${one.name}`]),
	);
	const focused = document.activeElement?.id;
	find("phones").replaceChildren(...phones.map(drawPhone));
	if (phones.length === 0) find("phones").append(element("li", { className: "soft" }, "No phones yet."));
	find("movements").replaceChildren(...movements.map(drawMovement));
	if (movements.length === 0)
		find("movements").append(element("li", { className: "soft" }, "Nothing has been paid yet."));
	if (focused) find(focused)?.focus();
}

/** Replaces the options of a choice, and keeps what is chosen. */
function fill(select, options) {
	const chosen = select.value;
	const isSame =
		options.map(([value]) => value).join() === [...select.options].map(({ value }) => value).join();
	if (isSame) return;
	select.replaceChildren(...options.map(([value, text]) => element("option", { value }, text)));
	if (options.some(([value]) => value === chosen)) select.value = chosen;
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
		{ className: "prompt", "aria-label": `Prompt on the phone of ${name}, ${msisdn}` },
		element("h4", {}, printQuestion(prompt)),
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

function printQuestion({ amount_minor: minor, payee, standing_order: order }) {
	if (order === null) return `Pay ${printMoney(minor)} to ${payee}?`;
	return `Let ${payee} collect ${printMoney(minor)} from ${printDay(order.start_date)} to ${printDay(order.end_date)}?`;
}

const printDay = (text) => `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;

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
find("pay").addEventListener("submit", async (event) => {
	event.preventDefault();
	const { phone, shortcode, amount, account } = event.target.elements;
	const paid = await call("POST", `/_control/phones/${phone.value}/pay`, {
		shortcode: shortcode.value,
		amount_minor: Number(amount.value) * 100,
		account: account.value,
	});
	if (paid !== undefined) say(`Paid. Receipt ${paid.receipt}.`, true);
});
listen();
