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

/** What is stored of an event until its mail is accepted. */
export type LinkMailData = {
	linkId: string;
	email: string;
	values: Values;
	/** Codes of roles, which the mail names in its language. */
	roles?: readonly string[];
	locale?: string;
};

type Link = { link_id: string; user_id?: string; email: string; expires_at: string; locale?: string };

/**
 * Turns the sign-on service's events about links into mails. The event's transaction records the mail and a
 * job that accepts it; the link itself is fetched when the mail is sent, and never stored.
 */
export function linkConsumers({ vault }: { vault: Vault }): readonly Consumer[] {
	const record = async (
		db: Database,
		{ id: eventId, time, tenantid, data }: EventEnvelope<Link>,
		{ template, ...content }: { template: string } & Pick<LinkMailData, "values" | "roles">,
	) => {
		const { link_id: linkId, user_id: userId, email, expires_at, locale } = data;
		const stored: LinkMailData = {
			...{ linkId, email, ...content, values: { ...content.values, expires_at } },
			...(locale !== undefined && { locale }),
		};
		const sealed = vault.sealData(stored);
		const mail = {
			eventId,
			template,
			aboutTenantId: tenantid,
			userId,
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
			const { tenant_name, roles, invited_by = tenant_name } = event.data;
			const values = { tenant_name, invited_by };
			return record(db, event, { template: "sign_on/invitation", values, roles });
		}),
	];
}
