#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every example by itself in several orders, and each by a script that
# shows its purpose; "weft new" makes a process that runs.
# usage: WEFT=./weft tests/check-examples.sh; ends with "N passed, N failed"
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
cd "$(dirname "$0")/.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# verdict WHAT CODE: counts the check; shows the output when it failed.
verdict() {
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
		return
	fi
	echo "$1"
	sed 's/^/    /' "$scratch/out"
	failed=$((failed + 1))
}

weft() {
	timeout 600 "$weft" "$@" >"$scratch/out" 2>&1
}

# No example has an error or a warning, and all are sound.
checked() {
	local code=0

	weft check "$1" || code=$?
	[ $code -eq 0 ] && ! grep -q "^weft: $1" "$scratch/out"
	verdict "weft check $1: exit code $code" $?
}

completes() {
	local seed mode

	for seed in 1 2 3 4 5; do
		for mode in atomic split; do
			weft run --seed $seed --mode $mode "$1" &&
				grep -q '^The case is completed' "$scratch/out"
			verdict "weft run --seed $seed --mode $mode $1" $?
		done
	done
}

# says EXAMPLE TEXT: the report of a run contains the text.
says() {
	weft run "examples/$1.yawl" && grep -qF -e "$2" "$scratch/out"
	verdict "weft run examples/$1.yawl does not say: $2" $?
}

# goes EXAMPLE WHAT: the script on standard input passes.
goes() {
	cat >"$scratch/script"
	weft run --script "$scratch/script" "examples/$1.yawl"
	verdict "$1: $2" $?
}

for file in examples/*.yawl; do
	checked "$file"
	completes "$file"
done
# Nobody has decided, so a run without a script changes the request for ever.
checked examples/people/purchase.yawl

goes people/purchase "what is not approved is changed, what is approved ordered" <<-END
	launch
	finish Ask
	refuse DATA finish Approve <Approve><remark>hm</remark></Approve>
	finish Approve <Approve><approved>false</approved></Approve>
	finish Change <Change><item>A chair</item><price>30</price></Change>
	finish Approve <Approve><approved>true</approved></Approve>
	finish Order
	expect completed
END

says document-handling 'returns document = <id>4711</id><name>contract.pdf</name>'
says document-handling 'receives document = <id>4711</id><name>contract.pdf</name>'
says sequence 'receives ticket = TP 1351, seat 12A'
says subprocess 'receives parcel = parcel 0815'

goes document-handling "a document of one's own" <<-END
	launch
	finish Upload <Upload><document><id>1</id><name>a.txt</name></document></Upload>
	expect data <document><id>1</id><name>a.txt</name></document>
	start Download
	expect input Download <document><id>1</id><name>a.txt</name></document>
	complete Download
	expect completed
END

goes sequence "one after the other" <<-END
	launch
	expect items Ask:Enabled
	finish Ask <Ask><destination>Oslo</destination></Ask>
	expect items Book:Enabled
	finish Book <Book><ticket>SK 4</ticket></Book>
	expect items Tell:Enabled
	expect data destination=Oslo ticket="SK 4"
	finish Tell
	expect completed
END

goes choice "a small claim is paid out at once" <<-END
	launch
	finish Enter <Enter><amount>800</amount></Enter>
	expect items Pay:Enabled
	finish Pay
	expect completed
END

goes choice "a large claim can be refused" <<-END
	launch
	finish Enter <Enter><amount>1001</amount></Enter>
	expect items Approve:Enabled
	finish Approve <Approve><approved>false</approved></Approve>
	expect items Refuse:Enabled
	finish Refuse
	expect completed
END

goes parallel "the join waits for both" <<-END
	launch
	finish Sign <Sign><name>Ada</name></Sign>
	expect items Computer:Enabled Desk:Enabled
	finish Computer
	expect items Desk:Enabled
	finish Desk
	expect items Welcome:Enabled
	finish Welcome
	expect completed
END

goes subprocess "the sub-net gets data and gives some back" <<-END
	launch
	finish Receive <Receive><goods>1 table</goods></Receive>
	expect items Pack:Enabled
	start Pack
	expect input Pack goods="1 table"
	complete Pack
	finish Ship <Ship><parcel>P7</parcel></Ship>
	expect items Invoice:Enabled
	expect data parcel=P7
END

goes several-instances "two answers of three suffice" <<-END
	launch
	start Ask
	start 1.2:Ask
	complete 1.2:Ask <AskSupplier><supplier>Birch</supplier><price>70</price></AskSupplier>
	complete 1.1:Ask <AskSupplier><supplier>Ash</supplier><price>90</price></AskSupplier>
	expect items Choose:Enabled
	expect data <offers><offer>Birch: 70 EUR</offer><offer>Ash: 90 EUR</offer></offers>
	finish Choose
	expect completed
END

goes cancellation "withdrawing stops the preparation" <<-END
	launch
	finish Confirm
	expect items Prepare:Enabled Withdraw:Enabled
	start Prepare
	finish Withdraw <Withdraw><reason>late</reason></Withdraw>
	expect completed
END

goes cancellation "who delivers is too late to withdraw" <<-END
	launch
	finish Confirm
	finish Prepare
	expect items Deliver:Enabled Withdraw:Enabled
	start Deliver
	expect items Deliver:Executing
	complete Deliver
	expect completed
END

goes timer "an offer lapses when its timer expires" <<-END
	launch
	finish Send <Send><price>70</price></Send>
	expect items Accept:Enabled Lapse:Enabled
	expect timers Lapse=2026-01-01T00:02:00Z
	at 2026-01-01T00:02:00Z
	expect completed
END

goes timer "who accepts in time stops the timer" <<-END
	launch
	finish Send <Send><price>70</price></Send>
	at 2026-01-01T00:01:59Z
	start Accept
	expect input Accept price=70
	expect timers
	complete Accept
	at 2026-01-02T00:00:00Z
	expect items Deliver:Enabled
END

# weft new
cd "$scratch" || exit 2
weft new Holiday
verdict "weft new Holiday" $?
checked Holiday.yawl
completes Holiday.yawl
cp Holiday.yawl before
weft new Holiday
[ $? -eq 1 ] && cmp -s before Holiday.yawl
verdict "a file that is there is left alone" $?
for name in '' 7up 'a b' ../a a.yawl 'a<b' "$(printf '%0101d' 0 | tr 0 a)"; do
	weft new "$name"
	[ $? -eq 1 ] && grep -q '^weft: ' out && [ "$(ls ./*.yawl)" = ./Holiday.yawl ]
	verdict "\"$name\" is no name" $?
done
weft new
[ $? -eq 2 ]
verdict "weft new without a name" $?

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
