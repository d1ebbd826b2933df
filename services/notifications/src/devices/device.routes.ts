import { type Route, route } from "@lango/chassis";
import { Shape, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { maskAddress, normaliseAddress } from "../addresses/address.ts";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { own, personOf } from "../person-of.ts";
import { ensureRecipient } from "../recipients/ensure-recipient.ts";
import { findActivePerson } from "../recipients/recipient.store.ts";
import {
	type Device,
	devicesMax,
	listDevices,
	platforms,
	recordDevice,
	removeDevice,
} from "./device.store.ts";

const tags = ["devices"];
const ofAPerson = own("people register their own devices, also after the subscription has expired");
const PlatformWire = Type.Enum([...platforms], { type: "string" });
const DeviceWire = Type.Object({
	id: Uuid,
	platform: PlatformWire,
	token_masked: Type.String(),
	created_at: Type.String({ format: "date-time" }),
});

/** The routes of the caller's own devices: where push notifications to user:<id> go. */
export const deviceRoutes = (domain: Notifications): readonly Route[] => [
	listing(domain),
	registering(domain),
	removing(domain),
];

const listing = ({ db }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "GET",
		url: "/devices",
		schema: {
			summary: "Lists the caller's devices, the newest first",
			tags,
			response: { 200: Type.Object({ items: Type.Array(DeviceWire, { maxItems: devicesMax }) }) },
		},
		handler: async (request) => {
			const { tenantId, userId } = personOf(request);
			return { items: (await inTenant(db, tenantId, (tx) => listDevices(tx, userId))).map(toWire) };
		},
	});

const registering = ({ db, now, vault }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "POST",
		url: "/devices",
		schema: {
			summary: "Registers a device of the caller for push notifications",
			description: `A device belongs to the last person who registered it. Of more than ${devicesMax} the oldest is removed.`,
			tags,
			body: Shape({ platform: PlatformWire, token: Type.String({ minLength: 1, maxLength: 4_096 }) }),
			response: { 201: DeviceWire },
		},
		handler: async (request, reply) => {
			const { tenantId, userId, claims } = personOf(request);
			const { platform, token: text } = request.body;
			// The region is of phone numbers only.
			const read = normaliseAddress("push", text, "KE");
			if (!("ok" in read) || read.ok.kind !== "address")
				throw failures.address_invalid({
					...("problem" in read && { message: read.problem }),
					fields: { field: "token", in: "body" },
				});
			const { address } = read.ok;
			const token = { ...vault.sealAddress("push", address), masked: maskAddress("push", address) };
			const at = now();
			await inTenant(db, tenantId, async (tx) => {
				await ensureRecipient(tx, { tenantId, vault, claims, now: at });
				if ((await findActivePerson(tx, { tenantId, id: userId })) === undefined)
					throw failures.person_not_found();
			});
			const device = await recordDevice(db, { tenantId, userId, platform, token, now: at });
			return reply.code(201).send(toWire(device));
		},
	});

const removing = ({ db }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "DELETE",
		url: "/devices/:id",
		schema: {
			summary: "Removes a device of the caller",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			const { tenantId, userId } = personOf(request);
			const { id } = request.params;
			const existed = await inTenant(db, tenantId, (tx) => removeDevice(tx, { tenantId, userId, id }));
			if (!existed) throw failures.device_not_found();
			return reply.code(204).send(null);
		},
	});

const toWire = ({ id, platform, masked, createdAt }: Device): Static<typeof DeviceWire> => ({
	...{ id, platform, token_masked: masked, created_at: createdAt.toISOString() },
});
