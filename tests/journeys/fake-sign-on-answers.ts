import type { Answer } from "./fake-sign-on.ts";

const ok = (body: unknown): Answer => ({ status: 200, body });
const tenantId = "7d9f0a52-0000-4000-8000-000000000002";

const uhai = {
	id: tenantId,
	name: "Uhai Hospital",
	slug: "uhai",
	status: "active",
	branding: { logo_url: null, colour: "#b3372f" },
	time_zone: "Africa/Nairobi",
	currency: "KES",
	locale: "en-KE",
};

/** The signed-in person, as the fake returns them. */
export const nurse = {
	user_id: "7d9f0a52-0000-4000-8000-000000000001",
	email: "nurse@uhai.example",
	email_verified: false,
	name: "Njeri Kamau",
	status: "active",
	roles: ["staff"],
	permissions: [],
	tenant_id: tenantId,
	tenant_slug: "uhai",
	primary_tenant_id: tenantId,
	is_platform_owner: false,
	outlet_id: "7d9f0a52-0000-4000-8000-0000000000a1",
	is_hq_user: false,
	memberships: [
		{ tenant_id: tenantId, slug: "uhai", name: "Uhai Hospital", roles: ["staff"], status: "active" },
		{
			tenant_id: "7d9f0a52-0000-4000-8000-000000000003",
			slug: "kahawa",
			name: "Kahawa Café",
			roles: ["member"],
			status: "pending_review",
		},
	],
	profile: { selected_plan: null, locale: null, theme: null },
};

const outlet = (id: string, [name = "", use_case]: string[], is_hq = false) => ({
	id: `7d9f0a52-0000-4000-8000-0000000000${id}`,
	code: name.toUpperCase(),
	name,
	use_case,
	is_hq,
	status: "active",
	settings: {},
});

export const outlets = [
	outlet("a0", ["Headquarters", "services"], true),
	outlet("a1", ["Ward Block", "services"]),
	outlet("a2", ["Pharmacy", "pharmacy"]),
];

/** Those of them the nurse works at: headquarters is not among them. */
export const outletIds = outlets.filter(({ is_hq }) => !is_hq).map(({ id }) => id);

type Place = { country: string; city: string | null };

const session = (
	id: string,
	[client_name, device]: [string, string],
	{ is_current = false, place = null }: { is_current?: boolean; place?: Place | null },
) => ({
	id: `7d9f0a52-0000-4000-8000-0000000000${id}`,
	browser_session_id: `7d9f0a52-0000-4000-8000-0000000001${id}`,
	client_id: client_name.toLowerCase(),
	client_name,
	tenant_id: tenantId,
	tenant_slug: "uhai",
	signed_in_at: "2026-02-01T21:05:00Z",
	last_used_at: "2026-02-02T08:30:00Z",
	expires_at: "2026-05-01T21:05:00Z",
	is_current,
	device,
	place,
	is_this_device: is_current,
});

export const sessions = [
	session("b1", ["Sign-in pages", "Chrome, Linux"], { is_current: true }),
	session("b2", ["Point of sale", "Chrome, Android"], { place: { country: "TZ", city: "Arusha" } }),
	session("b3", ["Café website", "Safari, iPhone"], { place: { country: "DE", city: null } }),
];

const plan = (code: string, name: string, price_minor: number) => ({
	code,
	name,
	version: 1,
	price_minor,
	currency: "KES",
	interval: "month",
	trial_days: 14,
	grace_days: 7,
	products: [],
	features: [],
	limits: {},
	overage: {},
});

/** The tokens of a session, as the fake returns them. */
export const tokens = {
	access_token: "an-access-token",
	token_type: "Bearer",
	expires_in: 21_600,
	scope: "openid",
	refresh_token: "a-refresh-token",
};

/** The response to a registration or a join request. */
export const joined = (status: string, tenant = { id: tenantId, slug: "uhai", name: "Uhai Hospital" }) => ({
	user: {
		id: nurse.user_id,
		email: "amina@example.com",
		email_verified: false,
		name: "Amina",
		roles: ["member"],
		profile: { selected_plan: null },
	},
	tenant,
	status,
});

/** What an invitation is for. */
const invitation = {
	email: "amina@example.com",
	tenant_slug: "uhai",
	tenant_name: "Uhai Hospital",
	invited_by: "Asha Mwangi",
	roles: ["cashier", "waiter"],
	expires_at: "2026-05-01T21:05:00Z",
};

/** What it answers as long as a test says nothing else, by method and path. */
export const knownAnswers: Readonly<Record<string, Answer>> = {
	"GET /api/v1/tenants/by-slug/uhai": ok(uhai),
	"GET /api/v1/tenants/uhai/outlets": ok(outlets),
	"GET /api/v1/auth/me": ok(nurse),
	"GET /api/v1/auth/sessions": ok({ items: sessions, next_cursor: null }),
	"DELETE /api/v1/auth/sessions": { status: 204, body: undefined },
	[`DELETE /api/v1/auth/sessions/${sessions[1]?.id}`]: { status: 204, body: undefined },
	"GET /api/v1/plans": ok({
		items: [plan("starter", "Starter", 250_000), plan("growth", "Growth", 750_000)],
		next_cursor: null,
	}),
	"POST /api/v1/auth/resume": { status: 204, body: undefined },
	"POST /api/v1/auth/invitation": ok(invitation),
	"POST /api/v1/auth/refresh": ok(tokens),
	"POST /api/v1/auth/select-outlet": ok(tokens),
	"POST /api/v1/auth/outlet-exchange": ok({ ssoExchangeToken: "an-exchange-token", outletIds }),
	"POST /api/v1/auth/register": { status: 201, body: joined("active") },
	"POST /api/v1/auth/join": ok(joined("pending_review")),
	"POST /api/v1/tenants": {
		status: 201,
		body: joined("active", { id: "7d9f0a52-0000-4000-8000-000000000009", slug: "soko", name: "Soko" }),
	},
	"POST /api/v1/auth/password/change": ok({ changed: true }),
	"POST /api/v1/auth/password/reset-request": { status: 202, body: { accepted: true } },
	"POST /api/v1/auth/password/reset": ok({ changed: true }),
	"POST /api/v1/auth/email/verification-request": { status: 202, body: { accepted: true } },
	"POST /api/v1/auth/email/verify": ok({ verified: true }),
};
