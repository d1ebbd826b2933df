import type { Channel } from "../channel.ts";
import type { Letterhead } from "../letterheads/letterhead.ts";
import type { StoredData } from "../message.ts";
import { renderMessage } from "../rendering/render.ts";
import { localeOf, type TemplateVersion } from "../template.ts";
import type { Recipient } from "./resolve-recipients.ts";

/**
 * Returns the segments of an SMS by the language of its recipients, because a text differs by language only.
 * Empty for other channels.
 */
export function countRecipientSegments({
	template,
	channel,
	recipients,
	stored,
	letterhead,
	request,
}: {
	template: TemplateVersion;
	channel: Channel;
	recipients: readonly Recipient[];
	stored: StoredData;
	letterhead: Letterhead;
	request: { locale?: string };
}): ReadonlyMap<string | undefined, number> {
	if (channel !== "sms") return new Map();
	const locales = new Set(recipients.map(({ locale }) => locale));
	const counts = [...locales].map((own) => {
		const rendered = renderMessage({
			template,
			channel,
			locale: localeOf(template, channel, [request.locale, own, letterhead.locale]),
			values: stored.values,
			formats: letterhead,
			branding: letterhead,
			to: recipients[0]?.address ?? "",
			from: { name: letterhead.tenantName, address: "" },
		});
		return [own, rendered.channel === "sms" ? rendered.segments : 0] as const;
	});
	return new Map(counts);
}
