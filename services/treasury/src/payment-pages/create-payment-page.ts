import { uuidV7 } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Accepted, Refused } from "../gateways/calls/answer.ts";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import type { CardGateway } from "../gateways/card-gateway/account.ts";
import { pageTokenMember } from "../gateways/card-gateway/events/read-origin.ts";
import { createPage } from "../gateways/card-gateway/pages.ts";
import { requireNotHalted } from "../halts/require-not-halted.ts";
import { paymentFailures } from "../payments/failures.ts";
import { fingerprintOf } from "../payments/open-intent.ts";
import type { Treasury } from "../treasury.ts";
import {
	activatePage,
	failPage,
	findPageByKey,
	recordPage,
	removePage,
	type StoredPage,
} from "./payment-page.store.ts";
import { hashPageToken, mintPageToken } from "./payment-page.ts";

/** A page that is asked for, as it is on the wire. */
type PageRequest = {
	name: string;
	description: string;
	amount_minor?: number;
	currency: string;
	metadata?: Record<string, string>;
};

export type CreatePage = {
	tenantId: string;
	request: PageRequest;
	createdBy: { kind: string; id: string };
	idempotencyKey: string | undefined;
};

type Created = { page: StoredPage; isNew: boolean };

/**
 * Makes a page at the gateway, with a token in its metadata that binds its charges to the tenant. It is
 * stored before the gateway is called, and called once: if the answer does not come, the page stays as
 * `creating`, and no payer has its address. The same Idempotency-Key returns the page as it is now. Throws
 * `idempotency_key_reused`, `halted`, `channel_unavailable`, `gateway_refused` and `gateway_unavailable`.
 */
export async function createPaymentPage(domain: Treasury, creating: CreatePage): Promise<Created> {
	const { db, now, gateways } = domain;
	const { tenantId, request, createdBy, idempotencyKey } = creating;
	const known = await inTenant(db, tenantId, (tx) => findKnown(tx, creating));
	if (known !== undefined) return { page: known, isNew: false };
	await requireNotHalted(db, tenantId, "collections");
	const gateway = await gateways.requireCardGateway();
	const token = mintPageToken();
	const { name, description, amount_minor: amount, currency, metadata = {} } = request;
	const page = await inTenant(db, tenantId, (tx) =>
		recordPage(tx, {
			...{ tenantId, id: uuidV7(now()), name, description, currency, metadata, createdBy, idempotencyKey },
			...{ amountMinor: amount === undefined ? null : BigInt(amount), tokenHash: hashPageToken(token) },
			...{ fingerprint: fingerprintOf(request), createdAt: now() },
		}),
	);
	// The same request was made at the same time.
	if (page === undefined) return createPaymentPage(domain, creating);
	return { page: await ask(domain, { gateway, page, token }), isNew: true };
}

async function findKnown(
	tx: Database,
	{ createdBy, idempotencyKey: key, request }: CreatePage,
): Promise<StoredPage | undefined> {
	const known = key === undefined ? undefined : await findPageByKey(tx, { createdBy, key });
	if (known !== undefined && !known.fingerprint.equals(fingerprintOf(request)))
		throw paymentFailures.idempotency_key_reused();
	return known;
}

type Asking = { gateway: CardGateway; page: StoredPage; token: string };

async function ask({ db }: Treasury, { gateway, page, token }: Asking): Promise<StoredPage> {
	const { name, description, amountMinor, currency, metadata } = page;
	const answer = await createPage(gateway, {
		...{ name, description, currency, amountMinor: amountMinor ?? undefined },
		metadata: { ...metadata, [pageTokenMember]: token },
	});
	if (answer.is === "unknown") return page;
	const { baseUrl } = gateway.profile;
	const stored = await inTenant(db, page.tenantId, (tx) => store(tx, { page, answer, baseUrl }));
	requireAccepted(answer);
	return stored ?? page;
}

type Answered = {
	page: StoredPage;
	answer: Accepted<{ link: string | undefined; slug: string | undefined }> | Refused;
	baseUrl: string;
};

/** One that was not sent, or not taken now, is removed: it can be asked for again with the same key. */
function store(tx: Database, { page, answer, baseUrl }: Answered): Promise<StoredPage | undefined> {
	if (answer.is === "accepted") {
		const { link, slug = "" } = answer.ids;
		return activatePage(tx, page.id, link ?? `${baseUrl.replace(/\/$/, "")}/${encodeURIComponent(slug)}`);
	}
	return answer.isRetryable ? removePage(tx, page.id) : failPage(tx, page.id, answer.code);
}
