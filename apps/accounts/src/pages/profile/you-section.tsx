import { Button, Notice } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { explainRefusal } from "../../session/explain-refusal.ts";
import type { Me } from "../../session/me.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { requestVerification } from "./profile.queries.ts";

/** Name and e-mail address, and the confirmation of the address. */
export function YouSection({ me }: { me: Me }) {
	const { profile: words } = useTexts();
	return (
		<div className="mt-6">
			<dl className="grid gap-x-8 gap-y-1 sm:grid-cols-[auto_1fr] sm:gap-y-3">
				<dt className="text-quiet">{words.name}</dt>
				<dd className="mb-2 text-lg wrap-anywhere sm:mb-0 sm:text-base">{me.name}</dd>
				<dt className="text-quiet">{words.email}</dt>
				<dd className="text-lg wrap-anywhere sm:text-base">
					{me.email} <Mark isVerified={me.email_verified} />
				</dd>
			</dl>
			{!me.email_verified && <Verification email={me.email} />}
		</div>
	);
}

function Mark({ isVerified }: { isVerified: boolean }) {
	const { profile: words } = useTexts();
	const look = isVerified ? "bg-done-wash text-done" : "bg-warning-wash text-warning";
	return (
		<span className={`inline-block rounded-md px-2 py-0.5 text-base ${look}`}>
			{isVerified ? words.verified : words.unverified}
		</span>
	);
}

function Verification({ email }: { email: string }) {
	const { authUrl } = useSettings();
	const texts = useTexts();
	const { profile: words } = texts;
	const request = useMutation({ mutationFn: () => requestVerification(authUrl) });
	return (
		<div className="mt-4 grid justify-items-start gap-3">
			{request.isSuccess && <Notice kind="done">{words.verifySent(email)}</Notice>}
			{request.error !== null && <Notice kind="error">{explainRefusal(request.error, texts).message}</Notice>}
			{!request.isSuccess && (
				<Button busyText={request.isPending ? words.verifying : undefined} onClick={() => request.mutate()}>
					{words.verify}
				</Button>
			)}
		</div>
	);
}
