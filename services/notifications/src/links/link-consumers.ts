import {
	authEmailVerificationRequested,
	authInvitationCreated,
	authPasswordResetRequested,
	type EventEnvelope,
} from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Values } from "../template.ts";
import { recordLinkMail } from "./link-mail.store.ts";
import { roleText } from "./role-text.ts";

/** What is stored of an event until its mail is accepted. */
export type LinkMailData = { linkId: string; email: string; values: Values; locale?: string };

type Link = { link_id: string; email: string; expires_at: string; locale?: string };

/**
 * Turns the sign-on service's events about links into mails. The event's transaction records the mail and a
 * job that accepts it; the link itself is fetched when the mail is sent, and never stored.
 */
export function linkConsumers({ vault }: { vault: Vault }): readonly Consumer[] {
	const record = async (
		db: Database,
		{ id: eventId, time, tenantid, data }: EventEnvelope<Link>,
		{ template, values }: { template: string; values: Values },
	) => {
		const { link_id: linkId, email, expires_at, locale } = data;
		const stored: LinkMailData = {
			...{ linkId, email, values: { ...values, expires_at } },
			...(locale !== undefined && { locale }),
		};
		const sealed = vault.sealData(stored);
		const mail = {
			eventId,
			template,
			aboutTenantId: tenantid,
			data: sealed,
			expiresAt: new Date(expires_at),
		};
		await recordLinkMail(db, mail, new Date(time));
		await enqueueJob(db, { name: "links.accept" }, { id: eventId });
	};
	return [
		defineConsumer(authPasswordResetRequested, (db, event) =>
			record(db, event, { template: "sign_on/password_reset", values: { name: event.data.name } }),
		),
		defineConsumer(authEmailVerificationRequested, (db, event) =>
			record(db, event, { template: "sign_on/email_verification", values: { name: event.data.name } }),
		),
		defineConsumer(authInvitationCreated, (db, event) => {
			const { tenant_name, roles, locale } = event.data;
			const values = { tenant_name, roles: roleText(roles, locale) };
			return record(db, event, { template: "sign_on/invitation", values });
		}),
	];
}
