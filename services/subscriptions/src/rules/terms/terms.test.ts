import { products } from "@lango/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bundles, features, plans } from "../../catalogue/catalogue.ts";
import { expandProducts, joinTerms, unlimited } from "./terms.ts";

describe("the catalogue", () => {
	test.each(plans.map((plan) => [plan.code, plan] as const))(
		"%s names only bundles, features and limits that exist",
		(_code, plan) => {
			const kinds = new Map(features.map(({ code, kind }) => [code, kind]));
			expect(bundles.map(({ code }) => code)).toContain(plan.bundle);
			expect(plan.features.map((code) => kinds.get(code))).toEqual(plan.features.map(() => "boolean"));
			expect(Object.keys(plan.limits).map((code) => kinds.get(code))).toEqual(
				Object.keys(plan.limits).map(() => "limit"),
			);
		},
	);

	test("bundles name only products that exist, or all of them", () => {
		for (const bundle of bundles) {
			const known: readonly string[] = [...products, "*"];
			expect(bundle.products.filter((product) => !known.includes(product))).toEqual([]);
		}
	});
});

describe("products", () => {
	test("* means every product", () => {
		expect(expandProducts(["*"])).toEqual([...products]);
	});

	test("are listed in the order of the contract, once each", () => {
		expect(expandProducts(["pos", "auth", "ordering", "pos"])).toEqual(["ordering", "pos", "auth"]);
	});

	test("unknown to this program are left out", () => {
		expect(expandProducts(["ordering", "time_travel"])).toEqual(["ordering"]);
	});
});

const limits = fc.dictionary(
	fc.constantFrom("max_riders", "max_admins", "toString"),
	fc.integer({ min: -1, max: 1_000 }),
);
const terms = fc.record({
	products: fc.subarray([...products, "*"]),
	features: fc.subarray(["customer_portal", "multi_outlet", "api_webhooks"]),
	limits,
});

describe("joined terms", () => {
	test("contain everything each of them grants, and nothing else", () => {
		fc.assert(
			fc.property(fc.array(terms, { minLength: 1, maxLength: 4 }), (all) => {
				const joined = joinTerms(all);
				for (const one of all) {
					expect(joined.products).toEqual(expect.arrayContaining(expandProducts(one.products)));
					expect(joined.features).toEqual(expect.arrayContaining(one.features));
				}
				expect(joined.features.every((code) => all.some((one) => one.features.includes(code)))).toBe(true);
				expect(new Set(joined.features).size).toBe(joined.features.length);
			}),
		);
	});

	test("add limits up, and are unlimited if any of them is", () => {
		fc.assert(
			fc.property(fc.array(limits, { maxLength: 4 }), (all) => {
				const joined = joinTerms(all.map((one) => ({ products: [], features: [], limits: one }))).limits;
				for (const name of ["max_riders", "max_admins", "toString"]) {
					const values = all.filter((one) => Object.hasOwn(one, name)).map((one) => one[name] ?? 0);
					const expected = values.includes(unlimited)
						? unlimited
						: values.reduce((sum, value) => sum + value, 0);
					expect(Object.hasOwn(joined, name) ? joined[name] : 0).toBe(expected);
				}
			}),
		);
	});

	test("of Starter with the point of sale are Starter and the product pos", () => {
		const starter = {
			products: ["ordering", "auth"],
			features: ["customer_portal"],
			limits: { max_admins: 1 },
		};
		expect(joinTerms([starter, { products: ["pos"], features: [], limits: {} }])).toEqual({
			products: ["ordering", "pos", "auth"],
			features: ["customer_portal"],
			limits: { max_admins: 1 },
		});
	});
});
