/** An error of the caller, as the gateway words it. */
export class Refusal extends Error {
	override name = "Refusal";
	readonly status: number;
	readonly code: string;
	readonly nextStep: string;

	constructor({ status = 400, message, code, nextStep }: RefusalOptions) {
		super(message);
		this.status = status;
		this.code = code;
		this.nextStep = nextStep;
	}
}

type RefusalOptions = { status?: number; message: string; code: string; nextStep: string };

/** The body of a refusal. */
export const toRefusalBody = ({
	message,
	code,
	nextStep,
}: Pick<RefusalOptions, "message" | "code" | "nextStep">) => ({
	status: false,
	message,
	meta: { nextStep },
	type: "validation_error",
	code,
});

export const invalidKey = () =>
	new Refusal({
		status: 401,
		message: "Invalid key",
		code: "invalid_Key",
		nextStep: "Ensure that you provide the correct authorization key for the request",
	});

/** A parameter that the gateway does not take. */
export const invalidParameter = (message: string, nextStep = "Correct the parameter and try again") =>
	new Refusal({ message, code: "invalid_params", nextStep });

export const notFound = (noun: string) =>
	new Refusal({
		status: 404,
		message: `${noun} not found`,
		code: `${noun.toLowerCase().replaceAll(" ", "_")}_not_found`,
		nextStep: `Ensure that you pass a valid ${noun.toLowerCase()}`,
	});
