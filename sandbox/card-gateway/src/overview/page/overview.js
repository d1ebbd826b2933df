import { element } from "/element.js";

const main = document.getElementById("main");
const everyMs = 3000;
let shown = "";

/** Calls `/_control` and shows the page again; an error is shown above it. */
async function control(method, path, body) {
	const answer = await fetch(`/_control/${path}`, {
		method,
		headers: body === undefined ? {} : { "content-type": "application/json" },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	const problem = answer.ok ? "" : ((await answer.json()).message ?? answer.statusText);
	await refresh(problem);
}

const print = (amount, currency) =>
	`${currency} ${(amount / 100).toLocaleString("en", { minimumFractionDigits: 2 })}`;

function button(text, label, action) {
	const made = element("button", { type: "button", className: "quiet", "aria-label": label }, text);
	made.addEventListener("click", action);
	return made;
}

function section(title, items, emptyText) {
	const list = items.length === 0 ? element("p", { className: "soft" }, emptyText) : element("ul", {}, items);
	return element("section", {}, element("h2", {}, title), list);
}

const item = (title, details, ...buttons) =>
	element(
		"li",
		{},
		element("div", {}, element("b", {}, title), element("div", { className: "soft" }, details)),
		element("div", { className: "actions" }, buttons),
	);

const tones = { success: "good", delivered: "good", failed: "bad" };

function transactionItem({ reference, status, amount, currency, email, checkout }) {
	const badge = element("span", { className: `badge ${tones[status] ?? ""}` }, status);
	const isOpen = status !== "success" && status !== "reversed";
	const link = element("a", { href: checkout, "aria-label": `Checkout of ${reference}` }, "Checkout");
	const dispute = () => control("POST", "dispute", { reference });
	return item(
		print(amount, currency),
		`${reference} · ${email}`,
		badge,
		isOpen ? link : status === "success" && button("Dispute", `Dispute ${reference}`, dispute),
	);
}

function disputeItem({ id, reference, amount, currency, due_at: dueAt }) {
	const resolve = (resolution) => () => control("POST", `disputes/${id}/resolve`, { resolution });
	return item(
		print(amount, currency),
		`${reference} · due ${dueAt}`,
		button("Decline", `Decline the dispute of ${reference}`, resolve("declined")),
		button("Accept", `Accept the dispute of ${reference}`, resolve("merchant-accepted")),
	);
}

const transferItem = ({ reference, recipient, amount, currency, otp }) =>
	item(
		print(amount, currency),
		`${reference} · to ${recipient}`,
		element("span", { className: "badge" }, `OTP ${otp}`),
	);

function eventItem({ at, operation, state, answered, attempts }) {
	const answer = attempts === 0 ? "" : ` · answered ${answered ?? "not at all"}, attempt ${attempts}`;
	const badge = element("span", { className: `badge ${tones[state] ?? ""}` }, state);
	return item(operation, `${at}${answer}`, badge);
}

function settings({ now, webhook_url: url, is_otp_required: isOtpRequired, balances }) {
	const otpText = isOtpRequired ? "Turn OTP off" : "Turn OTP on";
	const otp = button(otpText, `${otpText}: one-time passwords of transfers`, () =>
		control("PUT", "otp", { is_required: !isOtpRequired }),
	);
	const rows = Object.entries(balances).flatMap(([currency, accounts]) =>
		Object.entries(accounts).map(([name, amount]) => [name, print(amount, currency)]),
	);
	return element(
		"section",
		{},
		element("h2", {}, "Account"),
		element(
			"dl",
			{},
			[["time", now], ["webhooks", url ?? "none"], ...rows].map(([name, value]) =>
				element("div", {}, element("dt", {}, name), element("dd", {}, value)),
			),
		),
		element(
			"div",
			{ className: "actions" },
			button("Settle now", "Settle now: all charges", () => control("POST", "settle", {})),
			button("Top up KES 10,000", "Top up KES 10,000 of the transfer balance", () =>
				control("POST", "top-up", { amount: 1_000_000 }),
			),
			otp,
		),
	);
}

/** Leaves the page as it is while nothing has changed, so that no field loses the focus. */
async function refresh(problem = "") {
	const answer = await fetch("/_control/overview");
	const overview = await answer.json();
	const { now, ...rest } = overview;
	const next = JSON.stringify([rest, problem]);
	if (next === shown) return;
	shown = next;
	main.replaceChildren(
		...(problem === "" ? [] : [element("p", { className: "problem", role: "alert" }, problem)]),
		section("Transactions", overview.transactions.map(transactionItem), "No transaction yet."),
		section("Open disputes", overview.disputes.map(disputeItem), "No dispute is open."),
		section("Transfers that wait for their OTP", overview.transfers.map(transferItem), "No transfer waits."),
		section("Events", overview.events.map(eventItem), "Nothing was sent yet."),
		settings(overview),
	);
}

async function follow() {
	try {
		await refresh();
	} catch {
		shown = "";
		main.replaceChildren(
			element("p", { className: "problem", role: "alert" }, "The gateway does not answer."),
		);
	}
	setTimeout(follow, everyMs);
}
void follow();
