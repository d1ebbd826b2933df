import { defineJob, defineRecoveryScan } from "@lango/jobs";
import { TenantUnavailable } from "@lango/tenancy";
import type { Notifications } from "../parts.ts";
import { acceptLinkMail } from "./accept-link-mail.ts";
import { listOverdueMails } from "./link-mail.store.ts";

/** Accepts the mail of an event of the sign-on. It waits while the sign-on service is unavailable. */
export const acceptLinkMails = defineJob<Notifications>({
	name: "links.accept",
	retryDelaySeconds: 2,
	retryDelayMaxSeconds: 60,
	work: (domain, { id }) => acceptLinkMail(domain, id),
	postpones: (error) => error instanceof TenantUnavailable,
});

const overdueMs = 15 * 60_000;

/** Finds mails whose job was lost, and enqueues it again. */
export const recoverLinkMails = defineRecoveryScan<Notifications>({
	job: acceptLinkMails,
	everySeconds: 300,
	find: async ({ db }, { now, after, limit }) => {
		const before = new Date(now.getTime() - overdueMs);
		return (await listOverdueMails(db, { before, after, limit })).map((id) => ({ id }));
	},
});
