import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { metrics, windowOfLimit } from "./metric.ts";
import { dateAt, periodAt, windowAt } from "./window.ts";

const zones = ["Africa/Nairobi", "America/New_York", "Pacific/Kiritimati", "Asia/Kathmandu", "Africa/Cairo"];
const at = (text: string) => new Date(text);
const none = { trial: null, period: null };

test("the name of a limit determines its window", () => {
	expect(Object.fromEntries(metrics.map(({ code, window }) => [code, window]))).toEqual({
		order_count: "day",
		email_count: "day",
		rider_count: "standing",
		admin_count: "standing",
		message_count: "period",
		api_call_count: "period",
	});
	expect(windowOfLimit("max_messages_per_period")).toBe("period");
});

describe("a day", () => {
	test.each([
		["Africa/Nairobi", "2026-03-01T20:59:59.999Z", "2026-03-01T21:00:00Z"],
		["America/New_York", "2026-03-02T04:59:59.999Z", "2026-03-02T05:00:00Z"],
		["Pacific/Kiritimati", "2026-03-01T09:59:59.999Z", "2026-03-01T10:00:00Z"],
		["Asia/Kathmandu", "2026-03-01T18:14:59.999Z", "2026-03-01T18:15:00Z"],
	])("of %s begins and ends at midnight there, to the millisecond", (timeZone, last, first) => {
		const date = "2026-03-02";
		const calendar = { ...none, timeZone };
		expect(windowAt("day", at(last), calendar).endsAt).toEqual(at(first));
		expect(windowAt("day", at(first), calendar)).toMatchObject({ key: `day:${date}`, startsAt: at(first) });
	});

	test.each([
		["America/New_York", "2026-03-08T12:00:00Z", 23],
		["America/New_York", "2026-11-01T12:00:00Z", 25],
		["Africa/Cairo", "2026-04-24T12:00:00Z", 23],
		["Africa/Nairobi", "2026-03-08T12:00:00Z", 24],
	])("of %s around %s has %i hours", (timeZone, moment, hours) => {
		const { startsAt, endsAt } = windowAt("day", at(moment), { ...none, timeZone });
		expect(((endsAt?.getTime() ?? 0) - (startsAt?.getTime() ?? 0)) / 3_600_000).toBe(hours);
	});

	test("contains each of its moments, and the next begins where it ends, in every time zone", () => {
		const moment = fc.date({
			min: at("2024-01-01T00:00:00Z"),
			max: at("2029-01-01T00:00:00Z"),
			noInvalidDate: true,
		});
		fc.assert(
			fc.property(moment, fc.constantFrom(...zones), (time, timeZone) => {
				const calendar = { ...none, timeZone };
				const day = windowAt("day", time, calendar);
				const [startsAt, endsAt] = [day.startsAt ?? new Date(0), day.endsAt ?? new Date(0)];
				expect(startsAt <= time && time < endsAt).toBe(true);
				expect(day.key).toBe(`day:${dateAt(time, timeZone)}`);
				expect(windowAt("day", endsAt, calendar).startsAt).toEqual(endsAt);
				expect(windowAt("day", new Date(endsAt.getTime() - 1), calendar)).toEqual(day);
			}),
		);
	});
});

describe("a period", () => {
	const trial = { startsAt: at("2026-01-01T00:00:00Z"), endsAt: at("2026-01-15T00:00:00Z") };
	const period = { startsAt: at("2026-01-10T00:00:00Z"), endsAt: at("2026-02-10T00:00:00Z") };

	test.each([
		["in the trial", "2026-01-05T00:00:00Z", { trial, period: null, expected: trial }],
		["in the paid period", "2026-02-09T23:59:59Z", { trial: null, period, expected: period }],
		[
			"at its end",
			"2026-02-10T00:00:00Z",
			{ trial, period, expected: { startsAt: period.endsAt, endsAt: null } },
		],
		[
			"long after it",
			"2027-01-01T00:00:00Z",
			{ trial, period, expected: { startsAt: period.endsAt, endsAt: null } },
		],
		[
			"after a trial",
			"2026-01-20T00:00:00Z",
			{ trial, period: null, expected: { startsAt: trial.endsAt, endsAt: null } },
		],
		[
			"before the first one",
			"2025-12-31T00:00:00Z",
			{ trial, period: null, expected: { startsAt: at("1970-01-01T00:00:00Z"), endsAt: trial.startsAt } },
		],
	])("%s is found", (_when, moment, { expected, ...boundaries }) => {
		expect(periodAt(at(moment), boundaries)).toEqual(expected);
	});

	test("that was paid late begins where the previous one ended", () => {
		const late = { trial: null, period, timeZone: "Africa/Nairobi" };
		const renewed = { ...late, period: { startsAt: period.endsAt, endsAt: at("2026-03-10T00:00:00Z") } };
		const moment = at("2026-02-12T00:00:00Z");
		expect(windowAt("period", moment, late).key).toBe(windowAt("period", moment, renewed).key);
	});
});

test("existing things have one window that never ends", () => {
	const service = windowAt("standing", at("2026-01-01T00:00:00Z"), { ...none, timeZone: "Africa/Nairobi" });
	expect(service).toEqual({ key: "standing", startsAt: null, endsAt: null });
});
