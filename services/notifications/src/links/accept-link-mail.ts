import type { Domain } from "@lango/chassis";
import { type Accepting, acceptMessage } from "../messages/accept-message.ts";
import type { LinkMailData } from "./link-consumers.ts";
import { findLinkMail, removeLinkMail } from "./link-mail.store.ts";
import { roleText } from "./role-text.ts";

type Parts = Accepting & Pick<Domain, "tenancy"> & { settings: { platformOwnerSlug: string } };

/**
 * Accepts the mail of an event as a message of the platform: exempt from plan and credit, and about the
 * tenant of the event. Its key is the event, so a repetition after a crash sends once. Throws
 * `TenantUnavailable` while the platform's tenant cannot be read.
 */
export async function acceptLinkMail(parts: Parts, eventId: string): Promise<void> {
	const mail = await findLinkMail(parts.db, eventId);
	if (mail === undefined) return;
	const { platformOwnerSlug } = parts.settings;
	const platform = await parts.tenancy.findBySlug(platformOwnerSlug);
	if (platform === undefined) throw new Error(`the tenant ${platformOwnerSlug} does not exist`);
	const { linkId, email, values, roles, locale } = parts.vault.openData(mail.data) as LinkMailData;
	// A message without a language is in the one of its tenant.
	const language = locale ?? (await parts.letterheads.get(platform.id)).locale;
	await acceptMessage(parts, {
		...{ tenantId: platform.id, source: "event", channel: "email", template: mail.template },
		...{ to: [email], linkId, expiresAt: mail.expiresAt },
		data: { ...values, ...(roles !== undefined && { roles: roleText(roles, language) }) },
		...(locale !== undefined && { locale }),
		requester: { kind: "trigger", id: mail.template },
		idempotencyKey: eventId,
		...(mail.aboutTenantId !== undefined && { aboutTenantId: mail.aboutTenantId }),
		...{ isExempt: true, overLimit: "skip" },
	});
	await removeLinkMail(parts.db, eventId);
}
