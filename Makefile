# The front door. `make` builds bin/viv; each target first installs the Debian packages that are missing (tools/setup).
JOBS ?= $(shell nproc)
PRESET ?= release
PREFIX ?= /opt/viv
BUILD = build/$(PRESET)

.PHONY: all install build unit test test-deep test-otp test-systems bench demo demo-cluster docs tidy clean setup
all: build

setup:
	@tools/setup

build: setup
	@mkdir -p build
	@[ -f $(BUILD)/build.ninja ] || cmake --preset $(PRESET) >build/configure.log 2>&1 || \
	  { cat build/configure.log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS)

# An OTP root in which viv is the emulator (docs/NODE.md).
install: build
	@tools/install_root $(PREFIX)

unit: build
	@cmake --build $(BUILD) -j $(JOBS) --target unit_tests

test: setup
	@tools/run_tests --slowest

# Real systems (test/systems), on the stock runtime and on viv.
SYSTEMS = yaws rebar3 erlang-dialyzer erlang-common-test erlang-inets erlang-ssl erlang-ssh erlang-os-mon \
  erlang-observer erlang-snmp snmp rabbitmq-server python3-pika apache2-utils curl openssl openssh-client \
  openssh-server openssh-sftp-server sshpass ejabberd tsung python3-slixmpp
test-systems:
	@tools/setup $(SYSTEMS)
	@tools/run_tests --only systems

test-deep:
	@tools/setup chromium google-perftools protobuf-compiler python3-protobuf babeltrace2 python3-bt2 \
	  $(SYSTEMS)
	@tools/run_tests --deep

test-otp: build
	@test/otp/run

bench: build
	@bench/run
	@bench/latency
	@bench/boot
	@bench/serve
	@bench/cluster

demo: build
	@tools/setup yaws wrk openssl
	@demo/run

# Nodes of stock and viv, with OTP 25 and 27, in one database: killed, cut off, moved.
demo-cluster: build
	@tools/setup erlang-mnesia
	@demo/cluster

docs: build
	@tools/gen_bif_docs.py docs/BIFS.md
	@tools/gen_releases.py --document docs/RELEASES.md
	@tools/gen_flags.py --document docs/FLAGS.md
	@tools/gen_insns.py --document docs/INSTRUCTIONS.md

tidy: build
	@tools/tidy

clean:
	rm -rf build bin
