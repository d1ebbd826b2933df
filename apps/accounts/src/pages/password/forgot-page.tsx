import { buttonLook, TextField } from "@lango/interface";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { post } from "../../session/request.ts";
import { useSettings } from "../../settings.ts";
import { useTexts } from "../../texts/texts.ts";
import { SentForm } from "../form/sent-form.tsx";
import { GateFrame } from "../gate-frame.tsx";
import { NoticePage } from "../notice-page.tsx";

/** Requests a link to set a new password. The response does not reveal whether the address is registered. */
export function ForgotPage() {
	const { authUrl } = useSettings();
	const { field, forgot: words } = useTexts();
	const attempt = useMutation({
		mutationFn: async (email: string) => {
			await post(`${authUrl}/api/v1/auth/password/reset-request`, { email });
			return email;
		},
	});
	if (attempt.data !== undefined)
		return (
			<NoticePage title={words.sentTitle} text={words.sent(attempt.data)} advice={words.sentAdvice}>
				<Link to="/login" search={{}} className={buttonLook("plain")}>
					{words.back}
				</Link>
			</NoticePage>
		);
	return (
		<GateFrame title={words.title}>
			<p className="mt-3 text-quiet">{words.lead}</p>
			<SentForm
				submit={words.submit}
				submitting={words.submitting}
				required={["email"]}
				isBusy={attempt.isPending}
				failure={attempt.error}
				focusFirst="email"
				// The next person of this browser does not see the address.
				isKept={false}
				onSubmit={({ email = "" }) => attempt.mutate(email)}
			>
				{(validity) => (
					<TextField
						{...validity("email")}
						name="email"
						type="email"
						label={field.email}
						autoComplete="username"
					/>
				)}
			</SentForm>
			<Link to="/login" search={{}} className={`${buttonLook("quiet")} mt-4`}>
				{words.back}
			</Link>
		</GateFrame>
	);
}
