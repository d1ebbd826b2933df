import { canonicalPermissions, globalRoles, type Subscription } from "@lango/contracts";
import { generateSigningKey } from "@lango/tokens";
import { expect, test } from "vitest";
import type { MembershipState } from "../memberships/membership-state.ts";
import { accessClaims } from "./claims.ts";
import { signAccessToken, tokenBytesMax } from "./sign-access-token.ts";

const uuid = "3f0f1c52-5f0e-4d8f-9a55-6c9d5b1f4a10";
const membershipState: MembershipState = {
	user: {
		id: uuid,
		email: `${"a".repeat(240)}@b.example`,
		emailVerified: true,
		name: "n".repeat(200),
		status: "active",
		primaryTenantId: uuid,
		selectedPlan: null,
		locale: null,
		theme: null,
	},
	tenant: { id: uuid, slug: "s".repeat(63), name: "t".repeat(200), status: "active", hasOutlets: true },
	membership: { roles: [...globalRoles], status: "active", isHqUser: true },
	outlets: [],
};
const session = {
	id: uuid,
	client: { clientId: "c".repeat(100), idTokenAlgorithm: "RS256", isFirstParty: true, scopes: [] },
	outletId: null,
	scope: "openid profile email offline_access lango.api",
	resource: null,
	claims: null,
	authTime: new Date(0),
	amr: ["pwd"],
} as const;
const plan = (features: number): Subscription => ({
	tenant_id: uuid,
	status: "ACTIVE",
	plan: "PROFESSIONAL",
	features: Array.from({ length: features }, (_, at) => `feature_number_${at}`),
	limits: { max_riders: 100 },
	products: ["auth"],
	expires_at: "2027-01-01T00:00:00Z",
	expiry: 1,
	access: "full",
	grace_until: null,
	trial_end: null,
	pending_change: null,
	version: 1,
	next_change_at: null,
});
const mint = async (features: number, person: MembershipState = membershipState) => {
	const warnings: object[] = [];
	const claims = accessClaims(
		{ membershipState: person, outlet: undefined, subscription: plan(features), session },
		{ issuer: "https://i.example", audience: "lango", now: new Date(0) },
	);
	const token = signAccessToken(await generateSigningKey("ES256"), claims, {
		warn: (about: object) => void warnings.push(about),
	});
	return {
		token,
		warnings,
		claims: JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()),
	};
};

test("the worst administrator of a usual plan fits into four kilobytes, with every permission", async () => {
	const { token, warnings, claims } = await mint(20);
	expect(Buffer.byteLength(token)).toBeLessThan(4_096);
	expect(warnings).toEqual([]);
	expect(claims.permissions).toEqual(canonicalPermissions);
});

test("past four kilobytes it is logged", async () => {
	expect((await mint(150)).warnings).toHaveLength(1);
});

test("past eight kilobytes the permissions are left out, and an address answers them", async () => {
	for (let features = 150; features < 400; features += 5) {
		const { token, claims } = await mint(features);
		expect(Buffer.byteLength(token)).toBeLessThanOrEqual(tokenBytesMax);
		if ("permissions" in claims) continue;
		expect(claims.permissions_ref).toBe("https://i.example/api/v1/auth/me");
		expect(claims.sub_features).toHaveLength(features);
		return;
	}
	expect.unreachable("no token was too large");
});

test("a plan that alone is too large is left out, too: no token is ever above eight kilobytes", async () => {
	const { token, claims } = await mint(5_000);
	expect(Buffer.byteLength(token)).toBeLessThanOrEqual(tokenBytesMax);
	expect(claims).not.toHaveProperty("sub_features");
	expect(claims).toMatchObject({ sub_status: "ACTIVE", sub_plan: "PROFESSIONAL" });
});

test("the outlets of a person are never left out: with fifty of them and the largest plan a token fits", async () => {
	const outlets = Array.from({ length: 50 }, () => ({ id: uuid, code: "A", useCase: "retail" }));
	const membership = { roles: [...globalRoles], status: "active", isHqUser: false };
	const { token, claims } = await mint(5_000, { ...membershipState, membership, outlets });
	expect(Buffer.byteLength(token)).toBeLessThanOrEqual(tokenBytesMax);
	expect(claims).toMatchObject({ outlet_scope: "unselected", outlet_ids: outlets.map(({ id }) => id) });
});
