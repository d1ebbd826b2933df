import type { HistogramMetricData } from "@opentelemetry/sdk-metrics";
import { expect, test } from "vitest";
import { countDurations } from "./request-durations.ts";

const pointsOf = (durations: ReturnType<typeof countDurations>) =>
	durations.read().metrics.flatMap((metric) => (metric as HistogramMetricData).dataPoints);

test("requests are counted by method, route and status, each in the bucket that holds it", () => {
	const durations = countDurations({ name: "lango.shop" });
	for (const seconds of [0.001, 0.005, 0.2, 30])
		durations.record({ method: "GET", route: "/orders", status: 200, seconds });
	durations.record({ method: "GET", route: "/orders", status: 404, seconds: 0.02 });
	durations.record({ method: "POST", route: "/orders", status: 200, seconds: 0.02 });
	const [first, ...others] = pointsOf(durations);
	expect(first?.attributes).toEqual({
		"http.request.method": "GET",
		"http.route": "/orders",
		"http.response.status_code": 200,
	});
	expect(first?.value).toMatchObject({ count: 4, buckets: { counts: [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1] } });
	expect(first?.value.sum).toBeCloseTo(30.206);
	expect(others.map(({ value }) => value.count)).toEqual([1, 1]);
});

test("before the first request there are no measurements", () => {
	expect(countDurations({ name: "lango.shop" }).read().metrics).toEqual([]);
});
