import { randomUUID } from "node:crypto";
import { type CachedPerson, createAccess, permissionsOfPerson } from "@lango/access";
import { type AccessTokenClaims, permissionsOf } from "@lango/contracts";
import { createEntitlements } from "@lango/entitlements";
import type { Database } from "@lango/postgres";
import { createTenancy } from "@lango/tenancy";
import { testSubscription } from "@lango/testkit";
import {
	createVerifier,
	generateSigningKey,
	localKeySet,
	publicJwk,
	readPublicJwk,
	signJwt,
} from "@lango/tokens";
import { claimsOf } from "./claims.ts";
import { permissions } from "./permissions.ts";

const issuer = "http://localhost:4000";
const now = () => new Date();

/** Fills the caches of people and tenants of a domain service as its requests would. Returns the caches. */
export async function fillCaches({
	people,
	tenants,
}: {
	people: number;
	tenants: number;
}): Promise<{ keep: readonly unknown[]; tokenBytes: number }> {
	const all = Array.from({ length: tenants }, (_, at) => ({ id: randomUUID(), slug: `tenant-${at}` }));
	const tenantOf = (at: number) => all[at % tenants] ?? { id: "", slug: "" };
	const verifier = await openVerifier(people);
	const access = createAccess({
		db: answering((at) => ({
			user_id: randomUUID(),
			user_status: "active",
			issued_at: now(),
			grants: [{ role: "stock_admin", outlet_id: null, expires_at: null, permissions: own(permissions, at) }],
			is_hq: true,
			outlets: { assigned: [], active: [], in_tenant: 0, until: null },
		})),
		now,
		service: "stock",
		firstRole: () => "stock_admin",
		peopleMax: people,
	});
	const tenancy = createTenancy({
		db: answering((at) => ({ ...tenantRow(tenantOf(at)) })),
		signOn: { tenantBySlug: async () => undefined } as never,
		now,
		onError: () => undefined,
		tenantsMax: tenants,
	});
	const entitlements = createEntitlements({ subscriptionsUrl: issuer, apiKey: "", now, cacheMax: tenants });
	for (const { id, slug } of all) {
		await tenancy.findBySlug(slug);
		entitlements.apply(JSON.parse(JSON.stringify(subscriptionOf(id))));
	}
	const found = new WeakMap<AccessTokenClaims, unknown>();
	let tokenBytes = 0;
	for (let at = 0; at < people; at += 1) {
		const { token, claims } = await verifier.meet(tenantOf(at));
		tokenBytes = token.length;
		const person = personClaims(claims);
		const tenant = tenantOf(at);
		await access.ensureUserFromToken(tenant.id, person);
		found.set(claims, keptByCaller(tenant.id, access.peekUser(tenant.id, person)));
	}
	return { keep: [verifier, access, tenancy, entitlements, found], tokenBytes };
}

/** What the pipeline keeps for a caller: the person with their permissions. */
function keptByCaller(tenantId: string, cached: CachedPerson | undefined) {
	if (cached === undefined) throw new Error("the person is not cached");
	const { userId: id, grants } = cached.value.person;
	const permissions = permissionsOfPerson(cached.value.person);
	return { tenantId, cached, user: { id, serviceRole: grants[0]?.role, permissions } };
}

async function openVerifier(tokensMax: number) {
	const key = await generateSigningKey("ES256");
	const published = readPublicJwk(publicJwk(key));
	if (published === undefined) throw new Error("the key is invalid");
	const keys = localKeySet(() => [published]);
	const verifier = createVerifier({ issuer, audiences: ["lango"], keys, now, cacheMax: tokensMax });
	return {
		verifier,
		/** Verifies a token of a new person. */
		async meet(tenant: { id: string; slug: string }) {
			const iat = Math.floor(Date.now() / 1_000);
			const standard = { iss: issuer, aud: "lango", client_id: "till", iat, exp: iat + 3_600 };
			const claims = { permissions: permissionsOf(["admin"]), ...claimsOf({ sub: randomUUID(), tenant }) };
			const token = signJwt(key, "at+jwt", { ...standard, ...claims });
			return { token, claims: await verifier.verify(token) };
		},
	};
}

/** A database that returns the next row for each statement, in new strings as a driver would. */
function answering(row: (at: number) => object): Database {
	let at = 0;
	const query = async () => {
		at += 1;
		return [row(at - 1)];
	};
	return { query } as unknown as Database;
}

const own = (codes: readonly string[], at: number): string[] =>
	JSON.parse(JSON.stringify([...codes.slice(at % 3)])) as string[];

const tenantRow = ({ id, slug }: { id: string; slug: string }) => ({
	id,
	slug,
	name: `The shop ${slug}`,
	status: "active",
	time_zone: "Africa/Nairobi",
	currency: "KES",
	locale: "en-KE",
	outlet_isolation: "strict",
	synced_at: now(),
});

const subscriptionOf = (tenantId: string) =>
	testSubscription(tenantId, {
		features: ["multi_outlet", "loyalty_program", "customer_portal", "offline_tills"],
		limits: { max_orders_per_day: 500, max_admins: 3, max_riders: 15, max_emails_per_day: 2_000 },
	});

function personClaims({ sub, email = "", name = "", roles = [], iat }: AccessTokenClaims) {
	return {
		subject: sub,
		email,
		name,
		status: "active",
		globalRoles: roles,
		issuedAt: new Date(iat * 1_000),
		isHq: false,
	};
}
