import { element } from "/element.js";

const icons = {
	email: "M3 6h18v12H3z M3 7l9 7 9-7",
	sms: "M4 5h16v11H10l-4 3v-3H4z",
	whatsapp:
		"M12 3a9 9 0 0 0-7.700 13.600L3 21l4.500-1.200A9 9 0 1 0 12 3z M9 9c0 4 2.500 6 6 6l1-2-2-1-1 1c-1-.5-1.700-1.200-2-2l1-1-1-2z",
	push: "M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15z M10 20a2 2 0 0 0 4 0",
	none: "M12 4v10 M12 18v1",
};

/** The picture of a channel. */
export function channelIcon(channel) {
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	svg.setAttribute("viewBox", "0 0 24 24");
	svg.setAttribute("aria-hidden", "true");
	const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
	path.setAttribute("d", icons[channel] ?? icons.none);
	svg.append(path);
	return element("span", { className: `icon ${channel ?? "none"}` }, svg);
}

export const channelNames = { email: "E-mail", sms: "SMS", whatsapp: "WhatsApp", push: "Push" };

const shortTime = new Intl.DateTimeFormat(undefined, {
	hour: "2-digit",
	minute: "2-digit",
	second: "2-digit",
});
const shortDate = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const longTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** The time today, the day otherwise. */
export function printShortTime(at) {
	const date = new Date(at);
	return date.toDateString() === new Date().toDateString() ? shortTime.format(date) : shortDate.format(date);
}

export const printTime = (at) => longTime.format(new Date(at));

/** A button that copies a text and says so. */
export function copyButton(text, label = "Copy") {
	const button = element("button", { type: "button", className: "quiet small" }, label);
	button.addEventListener("click", async () => {
		try {
			await navigator.clipboard.writeText(text);
			button.textContent = "Copied";
		} catch {
			button.textContent = "Copying is not allowed here";
		}
		setTimeout(() => {
			button.textContent = label;
		}, 1500);
	});
	return button;
}

const badgeTitles = {
	refused: "The provider answered with an error",
	dropped: "The provider did not answer",
	"no answer": "The provider took the message and did not answer",
};

/** What became of a message, as small labels. */
export function badgesOf(message) {
	const outcome =
		message.outcome !== "accepted"
			? message.outcome
			: message.answered
				? (message.state ?? "accepted")
				: "no answer";
	const kind = ["delivered", "read", "sent", "accepted"].includes(outcome) ? "good" : "bad";
	const code = message.code === null ? "" : ` ${message.code}`;
	const title = badgeTitles[outcome] ?? "The latest status that the provider reported";
	return [element("span", { className: `badge ${kind}`, title }, `${outcome.replaceAll("_", " ")}${code}`)];
}
