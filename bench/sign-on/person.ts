/**
 * The claims of the tokens of the peer and the floor: those that the sign-on service issues for a member of
 * staff with one outlet, so that all three sign texts of about the same size.
 */
export type Person = { email: string; name: string; claims: Record<string, unknown> };

/** An invented person by number, with ids as long as real ones. */
export function personOf(number: number): Person {
	const email = `person-${number}@bench.example`;
	const name = `Person Number ${number}`;
	return {
		email,
		name,
		claims: {
			tenant_id: "5f0c7a52-3c39-4d1a-9a0e-6f1c4f0f3a11",
			tenant_slug: `tenant-${number % 10}`,
			email,
			name,
			user_status: "active",
			roles: ["staff"],
			permissions: ["auth.profile.view", "auth.profile.change", "catalog:view", "orders:read", "riders:read"],
			outlet_id: "0b6f3a0e-7a44-4f3c-8f0d-2f6b0c1d9e22",
			outlet_code: "MAIN",
			outlet_use_case: "retail",
			is_hq_user: false,
			products: [],
		},
	};
}

/** The client of the bench and the scope of its requests, the same for every server. */
export const client = {
	id: "cafe-website",
	redirectUri: "http://localhost:3002/auth/callback",
	scope: "openid profile email offline_access",
};
