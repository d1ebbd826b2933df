import Type, { type TSchema } from "typebox";
import type { OutletUseCase } from "../access.ts";
import { Email, Name } from "../values/name.ts";
import { Shape } from "../values/shape.ts";

/** A member of an outlet's settings: its schema, and whether it is public. */
export type OutletSetting = {
	schema: TSchema;
	isPublic: boolean;
	/** The rule for valid values, as the end of a sentence that begins with the member's name. */
	rule: string;
};

const line = (maxLength: number) => ({
	schema: Name(maxLength),
	rule: `is one line of 1 to ${maxLength} characters`,
});
const text = (maxLength: number) => ({
	schema: Type.String({ minLength: 1, maxLength, pattern: "^[^\\p{Cc}]*(\\n[^\\p{Cc}]*)*$" }),
	rule: `is a text of 1 to ${maxLength} characters`,
});
const whole = (minimum: number, maximum: number) => ({
	schema: Type.Integer({ minimum, maximum }),
	rule: `is a whole number from ${minimum} to ${maximum}`,
});
const number = (minimum: number, maximum: number) => ({
	schema: Type.Number({ minimum, maximum }),
	rule: `is a number from ${minimum} to ${maximum}`,
});
const flag = { schema: Type.Boolean(), rule: "is true or false" };

const TimeOfDay = Type.String({ pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" });
const Hours = Type.Array(Shape({ from: TimeOfDay, to: TimeOfDay }), { maxItems: 4 });
const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
const openingHours = {
	schema: Shape(Object.fromEntries(days.map((day) => [day, Type.Optional(Hours)]))),
	rule: 'has a member for each day, as {"monday": [{"from": "08:00", "to": "17:30"}]}, with at most four periods a day; a period that ends before it begins ends on the next day',
};
const address = {
	schema: Shape({
		line1: Name(200),
		line2: Type.Optional(Name(200)),
		city: Name(100),
		region: Type.Optional(Name(100)),
		postal_code: Type.Optional(Name(20)),
		country: Type.String({ pattern: "^[A-Z]{2}$" }),
	}),
	rule: "has line1, city and country (two letters, for example KE), and may have line2, region and postal_code",
};
const location = {
	schema: Shape({
		latitude: Type.Number({ minimum: -90, maximum: 90 }),
		longitude: Type.Number({ minimum: -180, maximum: 180 }),
	}),
	rule: "has latitude and longitude in degrees",
};
const phone = {
	schema: Type.String({ pattern: "^\\+?[0-9][0-9 ()-]{2,28}[0-9]$" }),
	rule: "is a telephone number, for example +254 700 000 000",
};
const email = { schema: Email, rule: "is an e-mail address" };

const open = <T extends object>(setting: T) => ({ ...setting, isPublic: true });
const closed = <T extends object>(setting: T) => ({ ...setting, isPublic: false });

type Settings = Readonly<Record<string, OutletSetting>>;

/** The settings of outlets of every use case. */
const shared: Settings = {
	address: open(address),
	email: open(email),
	location: open(location),
	opening_hours: open(openingHours),
	phone: open(phone),
	manager_name: closed(line(200)),
	notes: closed(text(2_000)),
	receipt_footer: closed(text(500)),
	receipt_header: closed(text(500)),
	tax_registration: closed(line(50)),
};
const eating: Settings = {
	delivery_radius_km: open(number(0, 500)),
	service_charge_percent: open(number(0, 100)),
	table_count: closed(whole(0, 10_000)),
};

/** The allowed settings of each use case. Other members are refused. */
export const outletSettings: Readonly<Record<OutletUseCase, Settings>> = {
	hospitality: {
		...shared,
		...eating,
		accepts_reservations: open(flag),
		room_count: closed(whole(0, 10_000)),
	},
	quick_service: { ...shared, ...eating, preparation_minutes: open(whole(0, 1_440)) },
	retail: {
		...shared,
		delivery_radius_km: open(number(0, 500)),
		return_days: open(whole(0, 3_650)),
		till_count: closed(whole(0, 1_000)),
	},
	pharmacy: {
		...shared,
		delivery_radius_km: open(number(0, 500)),
		dispenses_prescriptions: open(flag),
		licence_number: open(line(50)),
		pharmacist_name: closed(line(200)),
	},
	services: {
		...shared,
		accepts_appointments: open(flag),
		appointment_minutes: open(whole(1, 1_440)),
		room_count: closed(whole(0, 10_000)),
	},
	logistics: {
		...shared,
		delivery_radius_km: open(number(0, 5_000)),
		pickup_cut_off: open({ schema: TimeOfDay, rule: "is a time of day, for example 16:30" }),
		vehicle_count: closed(whole(0, 100_000)),
	},
};
