import { element } from "/element.js";
import { badgesOf, channelIcon, channelNames, printShortTime } from "./elements.js";
import { showEmpty, showMessage } from "./message.js";

const find = (id) => document.getElementById(id);
const address = new URL(location.href);
const read = (name) => address.searchParams.get(name) ?? "";
const state = {
	channel: read("channel"),
	tenant: read("tenant"),
	q: read("q"),
	to: read("to"),
	open: Number(location.hash.slice(2)) || undefined,
	items: [],
	next: null,
	total: 0,
	unseen: 0,
};
const pageSize = 100;
/** The list keeps this many rows; older ones are loaded again on request. */
const rowsMax = 1000;

function queryOf(extra = {}) {
	const { channel, tenant, q, to } = state;
	const members = { channel, tenant, q, to, outcome: "all", limit: pageSize, ...extra };
	return new URLSearchParams(Object.entries(members).filter(([, value]) => value !== "" && value !== null));
}

async function fetchJson(url) {
	const answer = await fetch(url);
	if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
	return answer.json();
}

async function load() {
	const { items, next_cursor, total } = await fetchJson(`/api/messages?${queryOf()}`);
	Object.assign(state, { items, next: next_cursor, total });
	draw();
}

async function loadMore() {
	const { items, next_cursor } = await fetchJson(`/api/messages?${queryOf({ cursor: state.next })}`);
	state.items = [...state.items, ...items];
	state.next = next_cursor;
	draw();
}

async function loadTenants() {
	const { items } = await fetchJson("/api/tenants");
	const select = find("tenant");
	const names = items.map(({ tenant }) => tenant);
	if (state.tenant !== "" && !names.includes(state.tenant)) names.unshift(state.tenant);
	select.replaceChildren(
		element("option", { value: "" }, "All tenants"),
		...names.map((name) => element("option", { value: name, selected: name === state.tenant }, name)),
	);
}

function draw() {
	const { items, total, open } = state;
	find("list").replaceChildren(...items.map(row));
	find("more").hidden = state.next === null;
	const what = isNarrowed() ? "match" : "received";
	const noun = total === 1 ? "message" : "messages";
	find("summary").replaceChildren(
		total === 0 ? "" : `${total} ${noun} ${what === "match" ? "found" : what}`,
		state.to === ""
			? ""
			: element("button", { type: "button", className: "chip", onclick: forgetAddress }, `to ${state.to} ×`),
	);
	if (total === 0) find("list").replaceChildren(nothing());
	drawChannels();
	document.body.classList.toggle("reading", open !== undefined);
}

const isNarrowed = () => [state.q, state.to, state.tenant, state.channel].some((value) => value !== "");

function nothing() {
	const text = isNarrowed()
		? "No messages match."
		: "No messages yet. What your program sends to the sandbox appears here at once.";
	return element("li", { className: "nothing" }, text);
}

function forgetAddress() {
	state.to = "";
	void apply();
}

function row(item) {
	const isOpen = item.id === state.open;
	const title =
		item.subject ||
		item.preview ||
		(item.outcome === "dropped" ? "A request that was not read" : "(no text)");
	return element(
		"li",
		{},
		element(
			"a",
			{
				href: `#/${item.id}`,
				className: `row ${item.outcome}${item.isNew ? " new" : ""}`,
				"aria-current": isOpen ? "true" : undefined,
			},
			channelIcon(item.channel),
			element(
				"span",
				{ className: "lines" },
				element(
					"span",
					{ className: "first" },
					element("strong", {}, item.to[0] ?? item.kind, item.to.length > 1 ? ` +${item.to.length - 1}` : ""),
					element("time", { dateTime: item.at }, printShortTime(item.at)),
				),
				element("span", { className: "title" }, title),
				element(
					"span",
					{ className: "last" },
					badgesOf(item),
					element("span", { className: "from" }, item.tenant ?? item.kind),
				),
			),
		),
	);
}

function drawChannels() {
	const choices = [["", "All"], ...Object.entries(channelNames)];
	find("channels").replaceChildren(
		...choices.map(([channel, name]) => {
			const button = element(
				"button",
				{ type: "button", className: "tab", "aria-pressed": String(state.channel === channel) },
				channel === "" ? null : channelIcon(channel),
				name,
			);
			button.addEventListener("click", () => {
				state.channel = channel;
				void apply();
			});
			return button;
		}),
	);
}

/** Writes the filter into the address, so that it can be shared, and loads the list. */
function apply() {
	const url = new URL(location.href);
	for (const name of ["channel", "tenant", "q", "to"]) {
		if (state[name] === "") url.searchParams.delete(name);
		else url.searchParams.set(name, state[name]);
	}
	history.replaceState(null, "", url);
	return load();
}

async function open() {
	const id = Number(location.hash.slice(2)) || undefined;
	state.open = id;
	draw();
	if (id === undefined) return showEmpty(find("detail"));
	const answer = await fetch(`/api/messages/${id}`);
	if (state.open !== id) return;
	if (answer.ok) showMessage(find("detail"), await answer.json(), { narrowTo });
	else showEmpty(find("detail"), "This message is no longer kept.");
	document.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
}

function narrowTo(to) {
	state.to = to;
	location.hash = "";
	void apply();
}

/** Goes to the message `step` rows further down. */
function move(step) {
	const index = state.items.findIndex(({ id }) => id === state.open);
	const next = state.items[index === -1 ? 0 : index + step];
	if (next !== undefined) location.hash = `/${next.id}`;
}

function isShown(item) {
	if (state.channel !== "" && item.channel !== state.channel) return false;
	if (state.tenant !== "" && item.tenant !== state.tenant) return false;
	return state.to === "" || item.to.some((to) => to.toLowerCase() === state.to.toLowerCase());
}

let pending;
/** A burst of messages is drawn once. */
function drawSoon(step) {
	if (pending !== undefined) return;
	pending = setTimeout(() => {
		pending = undefined;
		void step();
	}, 120);
}

function arrive(item) {
	const known = [...find("tenant").options].some(({ value }) => value === item.tenant);
	if (item.tenant !== null && !known) void loadTenants();
	if (document.hidden) {
		state.unseen += 1;
		document.title = `(${state.unseen}) Messages · sandbox`;
	}
	// The server searches texts.
	if (state.q !== "") return drawSoon(load);
	if (!isShown(item)) return;
	state.items = [{ ...item, isNew: true }, ...state.items].slice(0, rowsMax);
	state.total += 1;
	drawSoon(draw);
}

function change(item) {
	state.items = state.items.map((shown) => (shown.id === item.id ? item : shown));
	drawSoon(draw);
	if (item.id === state.open) void open();
}

function listen() {
	const stream = new EventSource("/api/stream");
	const live = find("live");
	const show = (text, isLive) => {
		live.textContent = text;
		live.classList.toggle("on", isLive);
	};
	stream.addEventListener("open", () => {
		show("live", true);
		void load();
		void loadTenants();
	});
	stream.addEventListener("error", () => show("reconnecting", false));
	stream.addEventListener("arrival", ({ data }) => arrive(JSON.parse(data)));
	stream.addEventListener("change", ({ data }) => change(JSON.parse(data)));
	stream.addEventListener("cleared", () => {
		location.hash = "";
		void load();
	});
}

let typing;
find("search").value = state.q;
find("search").addEventListener("input", ({ target }) => {
	clearTimeout(typing);
	typing = setTimeout(() => {
		state.q = target.value.trim();
		void apply();
	}, 150);
});
find("tenant").addEventListener("change", ({ target }) => {
	state.tenant = target.value;
	void apply();
});
find("more").addEventListener("click", () => void loadMore());
find("clear").addEventListener("click", async () => {
	if (!confirm("Remove all messages from the sandbox?")) return;
	await fetch("/control/truth", { method: "DELETE" });
});
addEventListener("hashchange", () => void open());
addEventListener("visibilitychange", () => {
	state.unseen = 0;
	document.title = "Messages · sandbox";
});
addEventListener("keydown", (event) => {
	if (event.target.closest("input, select, textarea") || event.metaKey || event.ctrlKey || event.altKey) {
		if (event.key === "Escape") event.target.blur();
		return;
	}
	if (event.key === "j" || event.key === "ArrowDown") move(1);
	else if (event.key === "k" || event.key === "ArrowUp") move(-1);
	else if (event.key === "Escape") location.hash = "";
	else if (event.key === "/") find("search").focus();
	else return;
	event.preventDefault();
});
drawChannels();
listen();
void open();
