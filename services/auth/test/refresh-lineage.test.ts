import fc from "fast-check";
import { expect, test } from "vitest";
import { claimsOf, obtainTokens, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();

const refresh = async (token: string) => {
	const response = await signOn.refresh(token);
	return response.statusCode === 200
		? (response.json().refresh_token as string)
		: response.json<{ error: string }>().error;
};

/**
 * The expected lineage of a session: every token so far, of which the last one is live, and whether the
 * session has ended.
 */
type Model = { tokens: string[]; rotatedAt: number; isDead: boolean };

/** One step: some seconds pass, then a token so many generations old is used by so many callers at once. */
const step = fc.record({
	seconds: fc.constantFrom(0, 1, 10, 19, 20, 21, 3_600),
	age: fc.nat({ max: 3 }),
	callers: fc.integer({ min: 1, max: 4 }),
});
type Step = { seconds: number; age: number; callers: number };

/** Takes a step for real and in the model; the answers of all callers must be what the model says. */
async function take({ seconds, age, callers }: Step, model: Model): Promise<Model> {
	signOn.now.forward(seconds);
	const at = signOn.now.at.getTime();
	const used = model.tokens.at(-1 - age);
	if (used === undefined) return model;
	const answers = await Promise.all(Array.from({ length: callers }, () => refresh(used)));
	if (model.isDead) {
		expect(new Set(answers)).toEqual(new Set(["invalid_grant"]));
		return model;
	}
	if (age === 0) {
		const [successor = ""] = answers;
		expect(new Set(answers).size, "all callers get one successor").toBe(1);
		expect(model.tokens).not.toContain(successor);
		return { tokens: [...model.tokens, successor], rotatedAt: at, isDead: false };
	}
	if (age === 1 && at - model.rotatedAt < 20_000) {
		expect(new Set(answers), "the successor again").toEqual(new Set([model.tokens.at(-1)]));
		return model;
	}
	expect(new Set(answers)).toEqual(new Set(["invalid_grant"]));
	return { ...model, isDead: true };
}

test("for any sequence of refreshes, also parallel ones, one lineage stays live, or none after the reuse of an old token", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
			const tokens = await obtainTokens(signOn.app, "admin@uhai.example");
			const bystander = await obtainTokens(signOn.app, "admin@uhai.example");
			let model: Model = { tokens: [tokens.refresh_token], rotatedAt: 0, isDead: false };
			for (const one of steps) model = await take(one, model);
			const [row] = await signOn.db.query<{ live: number }>(
				"select count(*)::int as live from find_session(tenant_of_session($1), $1, $2)",
				[claimsOf(tokens.access_token).sid, signOn.now.at],
			);
			expect(row?.live).toBe(model.isDead ? 0 : 1);
			expect(await refresh(bystander.refresh_token), "the person's other session continues").not.toBe(
				"invalid_grant",
			);
		}),
		{ numRuns: 25 },
	);
}, 120_000);
