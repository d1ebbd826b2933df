import { Page, Shape, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";

/** The public statuses of a rider. The store also has `erased`, which is never returned. */
const riderStatuses = ["pending", "active", "suspended"] as const;
export type RiderStatus = (typeof riderStatuses)[number];

/** A person of the fleet. */
export type Rider = {
	id: string;
	tenantId: string;
	/** The person's id at the sign-on service. */
	subject: string;
	name: string;
	email: string;
	status: RiderStatus;
	createdAt: Date;
	changedAt: Date;
};

export const Status = Type.Enum(riderStatuses, { type: "string" });
const DateTime = Type.String({ format: "date-time" });

export const NewRider = Shape({
	user_id: Type.String({ format: "uuid", description: "The person's id at the sign-on service" }),
});
export const RiderWire = Type.Object({
	id: Uuid,
	tenant_id: Uuid,
	user_id: Type.String({ format: "uuid", description: "The person's id at the sign-on service" }),
	name: Type.String(),
	email: Type.String(),
	status: Status,
	created_at: DateTime,
	changed_at: DateTime,
});
export const RiderPage = Page(RiderWire);

/** Returns the rider in the format of the API. */
export const toWire = (rider: Rider): Static<typeof RiderWire> => ({
	id: rider.id,
	tenant_id: rider.tenantId,
	user_id: rider.subject,
	name: rider.name,
	email: rider.email,
	status: rider.status,
	created_at: rider.createdAt.toISOString(),
	changed_at: rider.changedAt.toISOString(),
});
