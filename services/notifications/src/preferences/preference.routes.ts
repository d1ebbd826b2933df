import { recordAudit } from "@lango/access";
import { actorOf, callerOf, originOf, permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { own, personOf } from "../person-of.ts";
import { isAtPlatform } from "../platform-owner.ts";
import { ensureRecipient } from "../recipients/ensure-recipient.ts";
import {
	findSettings,
	isKnownTimeZone,
	listChoices,
	recordChoices,
	recordPlatformChoices,
	recordSettings,
} from "./preference.store.ts";
import {
	DefaultsBody,
	DefaultsWire,
	PreferencesBody,
	PreferencesWire,
	readChoices,
	readSettings,
	toCategoriesWire,
	toPreferencesWire,
	unknownTimeZone,
} from "./preference-wire.ts";

const tags = ["preferences"];
const ofTheTenant = tenantWide("preferences are the tenant's");
const ofAPerson = own("people change their own preferences, also after the subscription has expired");

/** The routes of preferences: a person's own, the defaults, and those of a person for administrators. */
export const preferenceRoutes = (domain: Notifications): readonly Route[] => [
	showing(domain),
	changing(domain),
	showingDefaults(domain),
	changingDefaults(domain),
	showingOfPerson(domain),
];

const showing = ({ db }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "GET",
		url: "/preferences",
		schema: {
			summary: "Returns the caller's preferences, with the defaults where nothing was chosen",
			tags,
			response: { 200: PreferencesWire },
		},
		handler: async (request) => {
			const { tenantId, userId } = personOf(request);
			return inTenant(db, tenantId, async (tx) =>
				toPreferencesWire(
					await findSettings(tx, { tenantId, userId }),
					await listChoices(tx, { tenantId, userId }),
				),
			);
		},
	});

const changing = ({ db, now, vault }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "PUT",
		url: "/preferences",
		schema: {
			summary: "Replaces the caller's preferences",
			description:
				"What is left out is reset to the default. Quiet hours move push notifications, SMS and WhatsApp messages to their end, except urgent and critical ones.",
			tags,
			body: PreferencesBody,
			response: { 200: PreferencesWire },
		},
		handler: async (request) => {
			const { tenantId, userId, claims } = personOf(request);
			const settings = readSettings(request.body);
			const choices = readChoices(request.body.categories);
			const at = now();
			return inTenant(db, tenantId, async (tx) => {
				if (settings.timeZone !== null && !(await isKnownTimeZone(tx, settings.timeZone)))
					throw unknownTimeZone();
				await ensureRecipient(tx, { tenantId, vault, claims, now: at });
				// Locked, so that two changes at once are applied one after the other.
				if ((await findSettings(tx, { tenantId, userId, lock: true })) === undefined)
					throw failures.person_not_found();
				await recordSettings(tx, { tenantId, userId, settings, now: at });
				await recordChoices(tx, { tenantId, userId, choices, now: at });
				return toPreferencesWire(settings, await listChoices(tx, { tenantId, userId }));
			});
		},
	});

const showingDefaults = ({ db, settings }: Notifications): Route =>
	route({
		method: "GET",
		url: "/preferences/defaults",
		access: permit("notifications.preferences.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Returns the tenant's default preferences",
			description: "At the platform's own address: the defaults of every tenant.",
			tags,
			response: { 200: DefaultsWire },
		},
		handler: async (request) => {
			const ofPlatform = isAtPlatform(callerOf(request), tenantOf(request).slug, settings.platformOwnerSlug);
			const { id: tenantId } = tenantOf(request);
			const choices = await inTenant(db, tenantId, (tx) => listChoices(tx, { tenantId, ofPlatform }));
			return { categories: toCategoriesWire(choices) };
		},
	});

const changingDefaults = ({ db, now, settings }: Notifications): Route =>
	route({
		method: "PUT",
		url: "/preferences/defaults",
		access: permit("notifications.preferences.change"),
		outlets: ofTheTenant,
		schema: {
			summary: "Replaces the tenant's default preferences",
			description:
				"They count for people who have not chosen themselves. At the platform's own address: the defaults of every tenant.",
			tags,
			body: DefaultsBody,
			response: { 200: DefaultsWire },
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			const choices = readChoices(request.body.categories);
			const ofPlatform = isAtPlatform(callerOf(request), tenantOf(request).slug, settings.platformOwnerSlug);
			const at = now();
			return inTenant(db, tenantId, async (tx) => {
				if (ofPlatform) await recordPlatformChoices(tx, { choices, now: at });
				else await recordChoices(tx, { tenantId, userId: undefined, choices, now: at });
				await recordAudit(tx, {
					...{ tenantId, at, actor: actorOf(callerOf(request)), action: "preference_defaults.changed" },
					...{ subject: tenantId, detail: { ...request.body.categories }, ...originOf(request) },
				});
				return { categories: toCategoriesWire(await listChoices(tx, { tenantId, ofPlatform })) };
			});
		},
	});

const showingOfPerson = ({ db }: Notifications): Route =>
	route({
		method: "GET",
		url: "/people/:user_id/preferences",
		access: permit("notifications.preferences.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Returns the preferences of a person of the tenant",
			tags,
			params: Type.Object({ tenant: Type.String(), user_id: Uuid }),
			response: { 200: PreferencesWire },
		},
		handler: async (request) => {
			const { user_id: userId } = request.params;
			const { id: tenantId } = tenantOf(request);
			return inTenant(db, tenantId, async (tx) => {
				const settings = await findSettings(tx, { tenantId, userId });
				if (settings === undefined) throw failures.person_not_found();
				return toPreferencesWire(settings, await listChoices(tx, { tenantId, userId }));
			});
		},
	});
