import { type TemplateFinding, type TemplateFindingCode, templateFindings } from "@lango/contracts";

/** What is wrong, without its place. */
export type Fault = Pick<TemplateFinding, "code" | "params">;

type NamesOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
	? Name | NamesOf<Rest>
	: never;
type ParamsOf<Code extends TemplateFindingCode> = Readonly<
	Record<NamesOf<(typeof templateFindings)[Code]>, string | number>
>;

/** Creates a fault with the parameters of its text. */
export function fault<Code extends TemplateFindingCode>(
	code: Code,
	...[params]: keyof ParamsOf<Code> extends never ? [] : [ParamsOf<Code>]
): Fault {
	return { code, params: { ...params } };
}

/** The English text of a fault. */
export const reasonOf = ({ code, params }: Fault): string =>
	templateFindings[code].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));

/** The finding of a fault at a place. */
export const findingAt = (place: string, { code, params }: Fault): TemplateFinding => ({
	...{ place, code, params },
	reason: reasonOf({ code, params }),
});

/** Returns faults without repetitions. */
export const distinct = (faults: readonly Fault[]): readonly Fault[] => [
	...new Map(faults.map((one) => [JSON.stringify(one), one])).values(),
];
