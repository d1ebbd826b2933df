import { element } from "/element.js";
import { badgesOf, channelIcon, channelNames, copyButton, printTime } from "./elements.js";

/** The part that was open last stays open for the next message, if it has it. */
let lastPart;
let lastWidth = "full";

/** Says that no message is open. */
export function showEmpty(place, text = "Choose a message.") {
	place.replaceChildren(
		element(
			"div",
			{ className: "empty" },
			channelIcon("email"),
			element("p", {}, text),
			element(
				"p",
				{ className: "keys" },
				key("j"),
				" next ",
				key("k"),
				" previous ",
				key("/"),
				" search ",
				key("Esc"),
				" close",
			),
		),
	);
}

const key = (name) => element("kbd", {}, name);

/** Shows a message: its head, what can be clicked or copied, and its parts. */
export function showMessage(place, message, actions) {
	const parts = partsOf(message).filter(([, , make]) => make !== undefined);
	const chosen = parts.find(([id]) => id === lastPart) ?? parts[0];
	const body = element("div", { className: "part", id: "part" });
	const tabs = parts.map(([id, name]) =>
		element("button", { type: "button", role: "tab", className: "tab", "data-part": id }, name),
	);
	const choose = (id) => {
		const [, , make] = parts.find(([known]) => known === id);
		for (const tab of tabs) tab.setAttribute("aria-selected", String(tab.dataset.part === id));
		body.dataset.part = id;
		body.replaceChildren(...[make()].flat());
	};
	for (const tab of tabs)
		tab.addEventListener("click", () => {
			lastPart = tab.dataset.part;
			choose(lastPart);
		});
	const scroll = place.dataset.message === String(message.id) ? body.scrollTop : 0;
	place.dataset.message = String(message.id);
	place.replaceChildren(
		head(message, actions),
		...quick(message),
		element("div", { className: "tabs", role: "tablist" }, tabs),
		body,
	);
	choose(chosen[0]);
	body.scrollTop = scroll;
}

function head(message, { narrowTo }) {
	const recipients = message.to.map((to) =>
		element(
			"button",
			{
				type: "button",
				className: "link",
				title: "Show only messages to this address",
				onclick: () => narrowTo(to),
			},
			to,
		),
	);
	const fact = (name, ...value) => [element("dt", {}, name), element("dd", {}, ...value)];
	return element(
		"header",
		{ className: "head" },
		element("a", { className: "back", href: "#" }, "‹ Messages"),
		element(
			"h1",
			{},
			message.subject ||
				`${channelNames[message.channel] ?? "Request"} ${message.to[0] ? `to ${message.to[0]}` : ""}`,
		),
		element(
			"dl",
			{},
			message.from === null ? [] : fact("From", message.from),
			recipients.length === 0 ? [] : fact("To", ...recipients),
			fact("Provider", message.kind),
			fact("Received", element("time", { dateTime: message.at }, printTime(message.at))),
			fact("Status", ...badgesOf(message)),
		),
	);
}

/** Codes and the first links: what one looks for in a message most often. */
function quick({ text, links, channel }) {
	const codes =
		channel === "push"
			? []
			: [...new Set((text ?? "").match(/(?<![\d+#/=-])\d{6}(?!\d|[.,-]\d)/g) ?? [])].slice(0, 2);
	const useful = links.filter((link) => !/unsubscribe|^mailto:|^tel:/i.test(link)).slice(0, 2);
	if (codes.length + useful.length === 0) return [];
	return [
		element(
			"div",
			{ className: "quick" },
			codes.map((code) =>
				element("span", { className: "code" }, element("strong", {}, code), copyButton(code, "Copy code")),
			),
			useful.map((link) => element("span", { className: "go" }, external(link), copyButton(link))),
		),
	];
}

const external = (link) => element("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, link);

/** Id, name and content of each part; a message without it has no such tab. */
function partsOf(message) {
	const isMail = message.channel === "email";
	return [
		["html", "Mail", message.html === null ? undefined : () => mail(message)],
		["screen", "Screen", isMail || message.text === null ? undefined : () => screen(message)],
		["text", "Text", message.text === null ? undefined : () => pre(message.text)],
		["links", `Links ${message.links.length}`, message.links.length === 0 ? undefined : () => links(message)],
		["headers", "Headers", message.headers.length === 0 ? undefined : () => table(message.headers)],
		["source", "Source", message.source === "" ? undefined : () => source(message)],
		["delivery", "Delivery", () => delivery(message)],
	];
}

const pre = (text) => element("pre", { tabIndex: 0 }, text);

function mail({ id, attachments }) {
	const frame = element("iframe", {
		src: `/api/messages/${id}/html`,
		title: "The mail as the recipient sees it",
		sandbox: "allow-popups allow-popups-to-escape-sandbox",
		referrerPolicy: "no-referrer",
		className: lastWidth,
	});
	const widths = [
		["phone", "Phone, 390 px"],
		["full", "Full width"],
	].map(([width, name]) => {
		const button = element(
			"button",
			{ type: "button", className: "tab small", "aria-pressed": String(width === lastWidth) },
			name,
		);
		button.addEventListener("click", () => {
			lastWidth = width;
			frame.className = width;
			for (const other of widths) other.setAttribute("aria-pressed", String(other === button));
		});
		return button;
	});
	const files = attachments.map(({ name, type, bytes }) =>
		element("span", { className: "chip" }, `${name} · ${type} · ${bytes} bytes`),
	);
	return [
		element(
			"div",
			{ className: "tools" },
			widths,
			files,
			element("a", { href: `/api/messages/${id}/html`, target: "_blank", rel: "noopener" }, "Open in a tab"),
		),
		frame,
	];
}

/** A short message as on a phone. */
function screen({ channel, text, subject, tenant, from, segments }) {
	const title = channel === "push" ? subject : (tenant ?? from);
	const count =
		segments === null
			? null
			: `${segments.segments} ${segments.segments === 1 ? "segment" : "segments"} · ${segments.encoding} · ${segments.units} ${segments.encoding === "GSM-7" ? "septets" : "code units"}`;
	return element(
		"div",
		{ className: `phone ${channel}` },
		element(
			"p",
			{ className: "bubble" },
			title ? element("strong", {}, title) : null,
			element("span", {}, text),
		),
		count === null ? null : element("p", { className: "count" }, count),
	);
}

function links({ links: found }) {
	return element(
		"ul",
		{ className: "links" },
		found.map((link) => element("li", {}, external(link), copyButton(link))),
	);
}

function table(rows) {
	return element(
		"table",
		{},
		element(
			"tbody",
			{},
			rows.map(([name, value]) =>
				element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)),
			),
		),
	);
}

function source(message) {
	return [
		element(
			"div",
			{ className: "tools" },
			copyButton(message.source, "Copy source"),
			element(
				"a",
				{ href: `/api/messages/${message.id}/source`, target: "_blank", rel: "noopener" },
				"Open in a tab",
			),
		),
		pre(message.source),
	];
}

function delivery(message) {
	const { segments } = message;
	const facts = [
		["Message", String(message.id)],
		["Request", String(message.ordinal)],
		["Provider", message.kind],
		["Id at the provider", message.provider_id],
		["Id of the delivery", message.delivery_id],
		["Account", message.account],
		["Tenant", message.tenant],
		["Outcome", message.outcome],
		["Status", message.status === null ? null : String(message.status)],
		["Code", message.code],
		["Answered", message.answered ? "yes" : "no"],
		["Segments", segments === null ? null : `${segments.segments} (${segments.encoding}, ${segments.units})`],
		["SHA-256", message.hash],
	];
	const reports = message.events.map(({ status, at, url, answered, attempts }) => [
		status.replaceAll("_", " "),
		`${printTime(at)} · ${url === null ? "no webhook" : `${url} · ${answered ?? "no answer"} · attempt ${attempts}`}`,
	]);
	return [
		table(facts.filter(([, value]) => value !== null && value !== undefined)),
		element("h2", {}, "Reports"),
		reports.length === 0 ? element("p", { className: "count" }, "No reports.") : table(reports),
	];
}
