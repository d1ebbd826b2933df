import { useClient } from "@lango/client/react";
import { Button } from "@lango/interface";
import { PlainPage } from "../../layout/plain-page.tsx";
import { clearSignedOut } from "../../session/sign-out-mark.ts";
import { useTexts } from "../../texts/texts.ts";
import { useSignInTexts } from "./texts.ts";

/** When the session of this tab is over; the sign-in waits for a press, so that a shared device rests here. */
export function SignedOutPage({ tenant }: { tenant: string | undefined }) {
	const client = useClient();
	const { signedOut: words } = useSignInTexts();
	const { signIn } = useTexts();
	const again = () => {
		clearSignedOut();
		client.signIn(tenant === undefined ? {} : { tenant }).catch(reportError);
	};
	return (
		<PlainPage title={words.title} text={words.text}>
			<Button kind="action" onClick={again}>
				{signIn}
			</Button>
		</PlainPage>
	);
}
