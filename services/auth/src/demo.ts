import { hashPassword } from "@lango/passwords";
import { type Database, inTenant } from "@lango/postgres";
import { seedDemoClient } from "./clients/client-seed.ts";
import {
	listDemoTenants,
	recordDemoMembership,
	recordDemoOutlets,
	recordDemoTenant,
	recordDemoUser,
} from "./demo.store.ts";
import { announceNewUser } from "./members/announce-user.ts";
import { announceOutlet } from "./outlets/announce-outlet.ts";
import { announceTenant } from "./tenants/announce-tenant.ts";
import { findTenant, type Tenant } from "./tenants/tenant.store.ts";
import { foldEmail } from "./users/email.ts";

export const demoPassword = "Karibu-2026!";

type DemoPerson = {
	email: string;
	name: string;
	roles: string[];
	isHq?: boolean;
	outlets?: readonly string[];
};
type DemoOutlet = { code: string; name: string; use_case: string; is_hq?: boolean };
type DemoTenant = {
	slug: string;
	name: string;
	use_case: string | null;
	outlets: readonly DemoOutlet[];
	people: readonly DemoPerson[];
};

/** The tenants a fresh platform shows (design, demo tenants). Ids are made by the database. */
const demoTenants: readonly DemoTenant[] = [
	{
		slug: "lango",
		name: "Lango",
		use_case: null,
		outlets: [],
		people: [{ email: "root@lango.example", name: "Rehema Otieno", roles: ["superuser"] }],
	},
	{
		slug: "uhai",
		name: "Uhai Hospital",
		use_case: "services",
		outlets: [
			{ code: "HQ", name: "Headquarters", use_case: "services", is_hq: true },
			{ code: "PHARM", name: "Pharmacy", use_case: "pharmacy" },
			{ code: "WARD", name: "Ward Block", use_case: "services" },
		],
		people: [
			{ email: "admin@uhai.example", name: "Asha Mwangi", roles: ["admin"], isHq: true },
			{ email: "nurse@uhai.example", name: "Njeri Kamau", roles: ["staff"], outlets: ["PHARM", "WARD"] },
			{ email: "pharm@uhai.example", name: "Peter Barasa", roles: ["staff"], outlets: ["PHARM"] },
		],
	},
	{
		slug: "kahawa",
		name: "Kahawa Café",
		use_case: "quick_service",
		outlets: [{ code: "MAIN", name: "Kahawa Café", use_case: "quick_service" }],
		people: [
			{ email: "owner@kahawa.example", name: "Wanjiru Njoroge", roles: ["admin"] },
			{ email: "cashier@kahawa.example", name: "Juma Ali", roles: ["cashier"], outlets: ["MAIN"] },
		],
	},
	{
		slug: "duka",
		name: "Duka Mart",
		use_case: "retail",
		outlets: [{ code: "MAIN", name: "Duka Mart", use_case: "retail" }],
		people: [{ email: "owner@duka.example", name: "Achieng Odhiambo", roles: ["admin"] }],
	},
];

/**
 * Creates the demo tenants, their people and the demo client if they are missing. Idempotent.
 * Development only: the caller must not call it in production. Returns slug and id of each demo tenant.
 */
export async function seedDemo(db: Database, now: Date): Promise<Array<{ slug: string; id: string }>> {
	await seedDemoClient(db);
	const passwordHash = await hashPassword(demoPassword);
	for (const tenant of demoTenants) await seedTenant(db, { tenant, passwordHash, now });
	return listDemoTenants(
		db,
		demoTenants.map(({ slug }) => slug),
	);
}

async function seedTenant(
	db: Database,
	{ tenant, passwordHash, now }: { tenant: DemoTenant; passwordHash: string; now: Date },
): Promise<void> {
	await db.transaction(async (outer) => {
		const { id, isNew } = await recordDemoTenant(outer, tenant);
		await inTenant(outer, id, async (tx) => {
			const recorded = await findTenant(tx, id);
			if (recorded === undefined || recorded.status === "deleted") return;
			if (isNew) await announceTenant(tx, recorded, { what: "created", origin: { now } });
			await seedOutlets(tx, { tenant: recorded, outlets: tenant.outlets, now });
			for (const person of tenant.people)
				await seedPerson(tx, { person, tenant: recorded, passwordHash, now });
		});
	});
}

async function seedOutlets(
	tx: Database,
	{ tenant, outlets, now }: { tenant: Tenant; outlets: readonly DemoOutlet[]; now: Date },
): Promise<void> {
	for (const outlet of await recordDemoOutlets(tx, { tenantId: tenant.id, outlets }))
		await announceOutlet(tx, { tenant, outlet, origin: { now } });
}

type Seeding = { person: DemoPerson; tenant: Tenant; passwordHash: string; now: Date };

async function seedPerson(tx: Database, { person, tenant, passwordHash, now }: Seeding): Promise<void> {
	const { email, name, roles, isHq = false, outlets = [] } = person;
	const tenantId = tenant.id;
	const user = await recordDemoUser(tx, {
		email,
		emailFolded: foldEmail(email),
		name,
		tenantId,
		passwordHash,
	});
	await recordDemoMembership(tx, { tenantId, userId: user.id, roles, isHq, outlets });
	if (user.isNew)
		await announceNewUser(tx, {
			user: { id: user.id, email, name },
			tenant,
			entered: { roles, status: "active" },
			origin: { now },
		});
}
