import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	originOf,
	pageOf,
	permit,
	type Route,
	readCursor,
	route,
	tenantOf,
	tenantWide,
	timeForm,
} from "@lango/chassis";
import { PageQuery, Uuid } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Channel } from "../channel.ts";
import { listDevices } from "../devices/device.store.ts";
import { failures } from "../failures.ts";
import { listItems } from "../inbox/inbox.store.ts";
import type { Notifications } from "../parts.ts";
import { findSettings, listChoices } from "../preferences/preference.store.ts";
import { findSuppressions } from "../suppressions/suppression.store.ts";
import { listContacts } from "./contact.store.ts";
import {
	type ExportedDelivery,
	findExportedPerson,
	listExportedDeliveries,
	listSealedContacts,
} from "./export.store.ts";
import { ExportWire, toDeliveryWire } from "./export-wire.ts";

/** An inbox has no more items. */
const itemsMax = 500;
const deliveriesAtOnce = 100;
type Export = Static<typeof ExportWire>;

/** The route of everything that is held of a person. */
export const exportRoutes = (domain: Notifications): readonly Route[] => [exporting(domain)];

const exporting = ({ db, now, vault }: Notifications): Route =>
	route({
		method: "GET",
		url: "/people/:user_id/export",
		access: permit("notifications.contacts.view"),
		outlets: tenantWide("what is held of people is the tenant's"),
		schema: {
			summary:
				"Returns everything that is held of a person, addresses in clear, and records that in the audit log",
			description: "Deliveries come in pages, the newest first; the rest is in every page.",
			tags: ["contact points"],
			params: Type.Object({ tenant: Type.String(), user_id: Uuid }),
			querystring: Type.Object({ cursor: PageQuery.cursor }),
			response: { 200: ExportWire },
		},
		handler: async (request) => {
			const { user_id: userId } = request.params;
			const after = readCursor(request.query.cursor, timeForm);
			const [{ id: tenantId }, at] = [tenantOf(request), now()];
			return inTenant(db, tenantId, async (tx): Promise<Export> => {
				const person = await readPerson(tx, { vault, tenantId, userId });
				const contact_points = await readContacts(tx, { vault, tenantId, userId });
				const addresses: Address[] = contact_points.map(({ channel, address }) => ({ channel, address }));
				if (person.email !== null) addresses.push({ channel: "email", address: person.email });
				const keys = addresses.flatMap(({ channel, address }) => vault.keysOf(channel, address));
				const limit = deliveriesAtOnce;
				const deliveries = await listExportedDeliveries(tx, { userId, keys, after, limit: limit + 1 });
				await recordAudit(tx, {
					...{ tenantId, at, actor: actorOf(callerOf(request)), action: "person.exported" },
					...{ subject: userId, detail: {}, ...originOf(request) },
				});
				return {
					...{ person, contact_points, ...(await readOthers(tx, { tenantId, userId })) },
					suppressions: await readSuppressions(tx, { vault, tenantId, addresses, now: at }),
					deliveries: pageOf(deliveries, { limit, toWire: (one) => toDeliveryWire(vault, one), placeOf }),
				};
			});
		},
	});

type Address = { channel: Channel; address: string };
type Of = { vault: Vault; tenantId: string; userId: string };
const placeOf = ({ place, id }: ExportedDelivery) => [place, id] as const;

/** Throws `person_not_found`. */
async function readPerson(tx: Database, { vault, tenantId, userId }: Of): Promise<Export["person"]> {
	const person = await findExportedPerson(tx, userId);
	const settings = await findSettings(tx, { tenantId, userId });
	if (person === undefined || settings === undefined) throw failures.person_not_found();
	const { name, email, isEmailVerified, roles, status, createdAt } = person;
	return {
		...{ id: userId, name, is_email_verified: isEmailVerified, roles, status },
		email: email === undefined ? null : vault.openAddress(email),
		...{ locale: settings.locale, time_zone: settings.timeZone, quiet_hours: settings.quietHours },
		created_at: createdAt.toISOString(),
	};
}

async function readContacts(
	tx: Database,
	{ vault, tenantId, userId }: Of,
): Promise<Export["contact_points"]> {
	const sealed = await listSealedContacts(tx, userId);
	return (await listContacts(tx, { tenantId, userId })).flatMap(({ id, channel, verifiedAt, createdAt }) => {
		const address = sealed.get(id);
		if (address === undefined) return [];
		const times = { verified_at: verifiedAt?.toISOString() ?? null, created_at: createdAt.toISOString() };
		return [{ channel, address: vault.openAddress(address), ...times }];
	});
}

/** Devices, the person's own choices, and the inbox. */
async function readOthers(
	tx: Database,
	{ tenantId, userId }: Omit<Of, "vault">,
): Promise<Pick<Export, "devices" | "preferences" | "inbox">> {
	const [devices, choices] = [await listDevices(tx, userId), await listChoices(tx, { tenantId, userId })];
	const items = { userId, after: undefined, limit: itemsMax };
	const inbox = [
		...(await listItems(tx, { ...items, state: "inbox" })),
		...(await listItems(tx, { ...items, state: "archived" })),
	];
	return {
		devices: devices.map(({ platform, masked, createdAt }) => ({
			...{ platform, token_masked: masked, created_at: createdAt.toISOString() },
		})),
		preferences: choices
			.filter(({ chosenBy }) => chosenBy === "person")
			.map(({ category, channel, isOn }) => ({ category, channel, is_on: isOn })),
		inbox: inbox.map(({ id, title, body, link = null, category, createdAt, readAt }) => ({
			...{ id, title, body, link, category, created_at: createdAt.toISOString() },
			read_at: readAt?.toISOString() ?? null,
		})),
	};
}

type Suppressed = { vault: Vault; tenantId: string; addresses: readonly Address[]; now: Date };

/** Suppressions of the person's addresses: the tenant's, and those of every tenant. */
async function readSuppressions(
	tx: Database,
	{ vault, tenantId, addresses, now }: Suppressed,
): Promise<Export["suppressions"]> {
	const found: Export["suppressions"] = [];
	for (const { channel, address } of addresses) {
		const keys = vault.keysOf(channel, address);
		for (const one of await findSuppressions(tx, { tenantId, channel, keys, now }))
			found.push({
				...{ channel, address_masked: one.masked, category: one.category, reason: one.reason },
				created_at: one.createdAt.toISOString(),
			});
	}
	return found;
}
