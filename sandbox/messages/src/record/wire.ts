import type { Arrival } from "./arrival.ts";
import { countSegments, findLinks } from "./text.ts";

/** A message in a list, without its contents: an item of `GET /api/messages`. */
export function toListItem(arrival: Arrival) {
	const { letter } = arrival;
	return {
		id: arrival.id,
		at: arrival.at,
		kind: arrival.kind,
		channel: letter?.channel ?? null,
		outcome: arrival.outcome,
		status: arrival.status,
		code: arrival.code,
		state: arrival.state,
		answered: arrival.answered,
		from: letter?.from ?? null,
		to: letter?.to ?? [],
		tenant: letter?.tenant ?? null,
		subject: letter?.subject ?? null,
		preview: (letter?.text ?? "").replaceAll(/\s+/g, " ").trim().slice(0, 160),
		delivery_id: letter?.deliveryId ?? null,
		provider_id: arrival.providerId,
	};
}

/** The whole message: the answer of `GET /api/messages/:id`. */
export function toMessage(arrival: Arrival) {
	const { letter } = arrival;
	const isSms = letter?.channel === "sms";
	return {
		...toListItem(arrival),
		text: letter?.text ?? null,
		html: letter?.html ?? null,
		headers: letter?.headers ?? [],
		attachments: letter?.attachments ?? [],
		links: findLinks({ text: letter?.text ?? null, html: letter?.html ?? null }),
		segments: isSms && letter.text !== null ? countSegments(letter.text) : null,
		source: letter?.source ?? "",
		hash: arrival.hash,
		account: arrival.account,
		ordinal: arrival.ordinal,
		events: arrival.events,
	};
}

/** An item of the ground truth: the answer of `GET /control/truth`. */
export function toTruthItem(arrival: Arrival) {
	const { letter } = arrival;
	return {
		id: arrival.id,
		ordinal: arrival.ordinal,
		at: arrival.at,
		kind: arrival.kind,
		channel: letter?.channel ?? null,
		delivery_id: letter?.deliveryId ?? null,
		address: letter?.to[0] ?? null,
		addresses: letter?.to ?? [],
		text: letter?.text ?? null,
		subject: letter?.subject ?? null,
		message_id: letter?.headers.find(([name]) => name.toLowerCase() === "message-id")?.[1] ?? null,
		provider_id: arrival.providerId,
		hash: arrival.hash,
		outcome: arrival.outcome,
		status: arrival.status,
		code: arrival.code,
		answered: arrival.answered,
	};
}
