/** An error of the caller, as the gateway words it. */
export class Refusal extends Error {
	override name = "Refusal";
	readonly status: number;
	readonly code: string;
	readonly nextStep: string;
	readonly type: string;

	constructor({ status = 400, type = "validation_error", message, code, nextStep }: RefusalOptions) {
		super(message);
		this.status = status;
		this.code = code;
		this.nextStep = nextStep;
		this.type = type;
	}
}

type RefusalOptions = { status?: number; type?: string; message: string; code: string; nextStep: string };

/** The body of a refusal. */
export const toRefusalBody = ({
	message,
	code,
	nextStep,
	type = "validation_error",
}: Omit<RefusalOptions, "status">) => ({
	status: false,
	message,
	meta: { nextStep },
	type,
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

/** The error of a reference that no transaction has. */
export const unknownReference = () =>
	new Refusal({
		status: 404,
		message: "Transaction reference not found",
		code: "transaction_not_found",
		nextStep: "Ensure that you're passing a valid transaction reference",
	});
