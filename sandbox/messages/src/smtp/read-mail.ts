import PostalMime, { type Address } from "postal-mime";
import type { Letter } from "../record/arrival.ts";
import { deliveryIdIn } from "../record/delivery-id.ts";

/** Headers that name the business a mail speaks for; otherwise it is the sender's display name. */
const tenantHeaders = ["x-tenant", "x-tenant-slug", "x-lango-tenant"];

/**
 * Reads a mail (RFC 5322). The sender's id of the delivery is the first UUID in its Message-ID. A mail that
 * cannot be parsed keeps its source only.
 */
export async function readMail(raw: Buffer, to: readonly string[]): Promise<Letter> {
	const source = raw.toString("utf8");
	const email = await PostalMime.parse(raw).catch(() => undefined);
	const headers = email?.headers ?? [];
	const named = tenantHeaders.map((name) => headers.find(({ key }) => key === name)?.value);
	return {
		channel: "email",
		deliveryId: deliveryIdIn([email?.messageId]),
		from: email?.from === undefined ? null : printAddress(email.from),
		to,
		tenant: named.find((name) => name !== undefined) ?? (email?.from?.name || null),
		subject: email?.subject ?? null,
		text: email?.text ?? null,
		html: email?.html ?? null,
		headers: headers.map(({ originalKey, value }) => [originalKey, value] as const),
		attachments: (email?.attachments ?? []).map(({ filename, mimeType, content }) => ({
			name: filename ?? "(without a name)",
			type: mimeType,
			bytes: typeof content === "string" ? content.length : content.byteLength,
		})),
		source,
	};
}

function printAddress({ name, address }: Address): string {
	return name === "" ? (address ?? "") : `${name} <${address ?? ""}>`;
}
