import { Button, buttonLook, FormError } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { post } from "../../session/ask.ts";
import { explainRefusal } from "../../session/explain-refusal.ts";
import { Refusal } from "../../session/refusal.ts";
import { takeFragment } from "../../session/take-fragment.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";

/** `/verify-email#token=…`. A press confirms: programs that look into mail open links, but press nothing. */
export function VerifyEmailPage() {
	const { authUrl } = useSettings();
	const texts = useTexts();
	const { verify: words, badLink } = texts;
	const [token] = useState(() => takeFragment("token"));
	const attempt = useMutation({ mutationFn: () => post(`${authUrl}/api/v1/auth/email/verify`, { token }) });
	const isSpent = attempt.error instanceof Refusal && attempt.error.code === "link_invalid";
	const toProfile = (
		<Link to="/profile" className={buttonLook("plain")}>
			{words.profile}
		</Link>
	);
	if (token === undefined || isSpent)
		return (
			<NoticePage title={badLink.title} text={badLink.text} advice={badLink.verifyAdvice}>
				{toProfile}
			</NoticePage>
		);
	if (attempt.isSuccess)
		return (
			<NoticePage title={words.doneTitle} text={words.done} advice={words.doneAdvice} gate="open">
				{toProfile}
			</NoticePage>
		);
	const explained = attempt.error === null ? undefined : explainRefusal(attempt.error, texts);
	return (
		<GateFrame title={words.title} announce>
			<p className="mt-3 mb-7 text-quiet">{words.lead}</p>
			<FormError message={explained?.message} reference={explained?.reference} />
			<Button
				kind="action"
				className="w-full text-lg"
				busyText={attempt.isPending ? words.submitting : undefined}
				onClick={() => attempt.mutate()}
			>
				{words.submit}
			</Button>
		</GateFrame>
	);
}
