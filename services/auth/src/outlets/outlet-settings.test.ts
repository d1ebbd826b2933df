import { outletSettings, outletUseCases } from "@lango/contracts";
import { expect, test } from "vitest";
import { publicSettings, requireUsableSettings } from "./outlet-settings.ts";

const full: Record<string, Record<string, unknown>> = {
	shared: {
		address: { line1: "Moi Avenue 1", city: "Nairobi", country: "KE", postal_code: "00100" },
		email: "west@uhai.example",
		location: { latitude: -1.28, longitude: 36.82 },
		opening_hours: {
			monday: [{ from: "08:00", to: "17:30" }],
			friday: [{ from: "18:00", to: "02:00" }],
			sunday: [],
		},
		phone: "+254 700 000 000",
		manager_name: "Njeri Kamau",
		notes: "Ring twice.\nBack door.",
		receipt_footer: "Asante!\nKaribu tena",
		receipt_header: "Duka Mart",
		tax_registration: "P051234567X",
	},
	hospitality: {
		accepts_reservations: true,
		delivery_radius_km: 7.5,
		room_count: 40,
		service_charge_percent: 10,
		table_count: 12,
	},
	quick_service: {
		delivery_radius_km: 0,
		preparation_minutes: 15,
		service_charge_percent: 0,
		table_count: 4,
	},
	retail: { delivery_radius_km: 5, return_days: 14, till_count: 3 },
	pharmacy: {
		delivery_radius_km: 5,
		dispenses_prescriptions: true,
		licence_number: "PPB/1/2",
		pharmacist_name: "Peter Barasa",
	},
	services: { accepts_appointments: true, appointment_minutes: 30, room_count: 2 },
	logistics: { delivery_radius_km: 900, pickup_cut_off: "16:30", vehicle_count: 8 },
};

/** The field and the text of a refusal; undefined if the settings are accepted. */
function refusalOf(useCase: string, settings: object) {
	try {
		requireUsableSettings(useCase, settings as Record<string, unknown>);
		return undefined;
	} catch (error) {
		const { fields, message } = error as { fields: { field: string }; message: string };
		return { field: fields.field, message };
	}
}

test.each(outletUseCases)("an outlet of the use case %s takes every setting of its table", (useCase) => {
	const settings = { ...full["shared"], ...full[useCase] };
	expect(Object.keys(settings).toSorted()).toEqual(Object.keys(outletSettings[useCase]).toSorted());
	expect(refusalOf(useCase, settings)).toBeUndefined();
});

test.each([
	["table_count", "retail", 4],
	["anything", "services", 1],
	["constructor", "services", 1],
	["__proto__", "services", JSON.parse('{"__proto__": 1}')],
])(
	"the setting %s, which outlets of the use case %s do not have, is refused by name",
	(name, useCase, value) => {
		const settings = name === "__proto__" ? value : { [name]: value };
		const refusal = refusalOf(useCase, settings);
		expect(refusal?.field).toBe(`settings.${name}`);
		expect(refusal?.message).toContain(`is not a setting of outlets of the use case ${useCase}`);
	},
);

test.each([
	["table_count", -1],
	["table_count", 1.5],
	["email", "a b@x.example"],
	["email", "jürgen@x.example"],
	["email", `${"l".repeat(65)}@x.example`],
	["table_count", "12"],
	["delivery_radius_km", Number.POSITIVE_INFINITY],
	["phone", "call us"],
	["email", "not-an-address"],
	["opening_hours", { monday: [{ from: "8", to: "17:00" }] }],
	["opening_hours", { someday: [] }],
	["opening_hours", { monday: Array(5).fill({ from: "08:00", to: "09:00" }) }],
	["address", { line1: "A", city: "B" }],
	["address", { line1: "A", city: "B", country: "Kenya" }],
	["address", { line1: "A", city: "B", country: "KE", planet: "Earth" }],
	["location", { latitude: 91, longitude: 0 }],
	["receipt_footer", "a\u0000b"],
	["notes", "x".repeat(2_001)],
	["accepts_reservations", "yes"],
])("a wrong value of %s is refused by name: %j", (name, value) => {
	expect(refusalOf("hospitality", { [name]: value })?.field).toBe(`settings.${name}`);
});

test.each([
	{ password: "x" },
	{ wifi_passwd: "x" },
	{ mpesaSecret: "x" },
	{ "api-key": "x" },
	{ apiKey: "x" },
	{ apikey: "x" },
	{ TOKEN: "x" },
	{ manager_pin: "1234" },
	{ privateKey: "x" },
	{ credentials: {} },
	{ address: { line1: "A", city: "B", country: "KE", access_key: "x" } },
	{ opening_hours: { monday: [{ secret: "x" }] } },
])("a setting that looks like a secret is refused, with the reason: %j", (settings) => {
	const refusal = refusalOf("retail", settings);
	expect(refusal?.field).toBe(`settings.${Object.keys(settings)[0]}`);
	expect(refusal?.message).toContain("looks like a secret");
});

test("settings of more than 16 KiB are refused", () => {
	expect(refusalOf("retail", { notes: "x".repeat(17_000) })?.field).toBe("settings");
});

test("only settings marked public are in the public list; a stored member that is not in the table is not", () => {
	const stored = {
		...full["shared"],
		...full["pharmacy"],
		table_count: 3,
		wifi_password: "x",
		constructor: "x",
	};
	expect(Object.keys(publicSettings("pharmacy", stored)).toSorted()).toEqual([
		"address",
		"delivery_radius_km",
		"dispenses_prescriptions",
		"email",
		"licence_number",
		"location",
		"opening_hours",
		"phone",
	]);
	expect(publicSettings("of an older release", stored)).toEqual({});
	const address = { line1: "Moi Avenue 1", city: "Nairobi", country: "KE", door_code: "1234" };
	expect(publicSettings("retail", { address, phone: { owner: "0700" }, return_days: 3 })).toEqual({
		return_days: 3,
	});
});
